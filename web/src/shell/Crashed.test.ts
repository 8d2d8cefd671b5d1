import { expect, it } from 'vitest'
import { isMissingPart } from './Crashed'

it('knows a part that could not be loaded, in the words of each browser', () => {
  for (const message of [
    'Failed to fetch dynamically imported module: http://localhost/app/assets/slots-abc.js',
    'error loading dynamically imported module: http://localhost/app/assets/slots-abc.js',
    'Importing a module script failed.',
  ]) {
    expect(isMissingPart(new TypeError(message)), message).toBe(true)
  }
  expect(isMissingPart(new Error('Unable to preload CSS for /app/assets/slots-abc.css'))).toBe(true)
  expect(isMissingPart(new TypeError('x is undefined'))).toBe(false)
  expect(isMissingPart('gone')).toBe(false)
})
