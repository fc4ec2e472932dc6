#!/usr/bin/env node
// Where Keyturn begins, in JavaScript: any Node can read it and say what is missing; and before it strips the types of a
// file that its cache does not have, Node loads what does that, which takes 40 ms and 9 MB. Behind this file, there is none.
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Keyturn runs on Node 24, and this is Node ${process.versions.node}: start it with \`npm start\`, which brings its own.\n`,
  );
  process.exit(1);
}
// Beside the code, not in the shared temporary folder, where others could put code of theirs.
nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/keyturn', import.meta.url)));
await import('./main.ts');
