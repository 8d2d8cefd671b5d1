// Files that are being uploaded, kept in IndexedDB for the case of a reload. All of it is best effort: without it the person is
// asked to choose the file again.
const store = 'files'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('crier-uploads', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function within<T>(mode: IDBTransactionMode, work: (s: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const db = await open()
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(store, mode)
      const request = work(transaction.objectStore(store))
      transaction.oncomplete = () => {
        db.close()
        resolve(request.result)
      }
      transaction.onerror = () => reject(transaction.error)
      transaction.onabort = () => reject(transaction.error)
    })
  } catch {
    return undefined
  }
}

export const keepFile = (key: string, file: File) => within('readwrite', s => s.put(file, key))
export const dropFile = (key: string) => within('readwrite', s => s.delete(key))

/** The file of an upload, if the browser still has it and can read it. */
export async function keptFile(key: string): Promise<File | undefined> {
  const file = await within('readonly', s => s.get(key) as IDBRequest<File | undefined>)
  if (!file) return undefined
  try {
    await file.slice(0, 1).arrayBuffer()
    return file
  } catch {
    return undefined
  }
}
