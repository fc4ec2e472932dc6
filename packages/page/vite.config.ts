import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the page into `dist`: files with a hash in their names, no code in the HTML. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { alias: { '@keyturn/client': fileURLToPath(new URL('../client/src/client.ts', import.meta.url)) } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // These know `light-dark()`, which a person's choice of colours turns.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A font or picture within the code would need `data:` in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    reportCompressedSize: false,
    // On a slow machine it would tell how long its own parts took.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
