import { afterEach, describe, expect, it, vi } from 'vitest'
import { closeAllDialogs, closeDialog, openDialogs, showDialog, subscribeDialogs } from './dialogs'

afterEach(closeAllDialogs)

describe('open dialogs', () => {
  it('stay until they are closed, whoever opened them', () => {
    const draw = () => null
    showDialog(draw)
    showDialog(() => null)
    expect(openDialogs().map(d => d.draw === draw)).toEqual([true, false])
    const [first] = openDialogs()
    closeDialog(first?.id ?? 0)
    expect(openDialogs()).toHaveLength(1)
    expect(openDialogs()[0]?.id).not.toBe(first?.id)
  })

  it('stay when the page is left, those that were opened so', () => {
    showDialog(() => null, { stays: true })
    showDialog(() => null)
    closeAllDialogs()
    expect(openDialogs().map(d => d.stays)).toEqual([true])
    closeDialog(openDialogs()[0]?.id ?? 0)
    expect(openDialogs()).toEqual([])
  })

  it('are told of once a change, and not for closing what is closed', () => {
    const told = vi.fn()
    const stop = subscribeDialogs(told)
    showDialog(() => null)
    closeDialog(-1)
    expect(told).toHaveBeenCalledTimes(1)
    closeAllDialogs()
    closeAllDialogs()
    expect(told).toHaveBeenCalledTimes(2)
    stop()
    showDialog(() => null)
    expect(told).toHaveBeenCalledTimes(2)
  })
})
