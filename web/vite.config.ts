import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

declare const process: { env: Record<string, string | undefined> }

// The server to develop against: CRIER_URL=http://127.0.0.1:8080 CRIER_KEY=… npm run dev
const server = process.env.CRIER_URL ?? 'http://127.0.0.1:8080'
const key = process.env.CRIER_KEY
const proxy = { target: server, headers: key ? { authorization: `Bearer ${key}` } : undefined }

export default defineConfig({
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: process.env.CRIER_WEB_OUT ?? 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox125', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
    // Every file is a file: the content security policy knows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // React and the libraries change less often than the pages: browsers keep them. What all pages share is one file.
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /rolldown[/\\]runtime|node_modules\/(react|react-dom|scheduler|@tanstack|openapi-fetch)\//,
            },
            { name: 'shared', test: /src\/(ui|api|zone|session|shell\/keys)/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': proxy, '/media': proxy, '/sign-in': proxy, '/sign-out': proxy } },
  // Tests leave nothing behind, so files share a thread: starting one for each took most of the time.
  test: { include: ['src/**/*.test.{ts,tsx}'], environment: 'node', pool: 'threads', isolate: false },
})
