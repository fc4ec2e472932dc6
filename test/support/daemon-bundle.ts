import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const project = resolve(import.meta.dirname, '../..');
const inputs = {
  main: join(project, 'src/main.ts'),
  crashing: join(project, 'test/support/crashing-main.ts'),
  'setting-up': join(project, 'test/support/setting-up-main.ts'),
};
/** They find files of theirs beside their code. */
const external = [/^better-sqlite3/, /^@napi-rs\//, /^pino/, /^jsonc-parser/];

/**
 * Packs the daemon into a few files, once for all tests, which start it some hundred times: reading four hundred modules takes a
 * third of the processor time of a start. Threads and processes of its own still run from the sources.
 */
export default async function bundleDaemon(): Promise<() => void> {
  // Libraries that are not packed are looked for above it.
  const folder = mkdtempSync(join(project, 'node_modules/.keyturn-daemon-'));
  const bundle = await rolldown({
    input: inputs,
    platform: 'node',
    external,
    logLevel: 'silent',
    plugins: [{ name: 'places', transform: keepPlace }],
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  // Otherwise Node would find out of each file what it is, by compiling it as something else first.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const name of Object.keys(inputs)) writeFileSync(join(folder, `start-${name}.js`), startOf(name, folder));
  process.env.KEYTURN_TEST_DAEMON = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** A module knows its own address, from which it finds others. */
function keepPlace(code: string, file: string): string | undefined {
  if (!file.startsWith(project) || file.includes('node_modules') || !code.includes('import.meta.url')) return undefined;
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
}

/** As src/start.js does. A process that is killed writes no cache at its end. */
function startOf(name: string, folder: string): string {
  return `import { enableCompileCache, flushCompileCache } from 'node:module';
enableCompileCache(${JSON.stringify(join(folder, 'cache'))});
setTimeout(flushCompileCache, 3_000).unref();
await import('./${name}.js');
`;
}
