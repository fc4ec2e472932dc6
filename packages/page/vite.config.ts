import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Packs each text once, here: a daemon that did it itself would keep the memory that this takes. */
const packed: Plugin = {
  name: 'packed',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((one) => /\.(?:css|html|js|svg|webmanifest)$/.test(one))) {
      const text = readFileSync(join(dir, name));
      const short = gzipSync(text, { level: 9 });
      if (short.length < text.length) writeFileSync(join(dir, `${name}.gz`), short);
    }
  },
};

const inPage = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the page into `dist`: files with a hash in their names, no code in the HTML. In the mode `gallery`, what its root has
 * instead: the parts of the page, for their tests.
 */
export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { alias: { '@keyturn/client': fileURLToPath(new URL('../client/src/client.ts', import.meta.url)) } },
  plugins: [packed],
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
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: mode === 'gallery' ? undefined : { index: inPage('index.html'), sw: inPage('src/worker/sw.ts') },
      // A browser looks for a newer worker where it has got the last one. It imports nothing: not all browsers could.
      output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
  },
}));
