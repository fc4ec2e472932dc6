import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { explainMissingNode, findNode } from '../src/find-node.js';

const here = `${process.platform}-${process.arch}`;
const platformPackage = Object.keys(manifest.optionalDependencies).find((name) => name.endsWith(here)) ?? 'node-none';

describe('the Node that runs Keyturn', () => {
  test.each(['24.0.0', '24.21.0', '26.1.0'])('is the one at hand if that is new enough: %s', (version) => {
    expect(findNode({ isBuilt: false, version })).toBe(process.execPath);
  });

  test('is else the one that the dependencies brought, and that one runs', () => {
    const found = findNode({ isBuilt: false, version: '20.20.2' });
    expect(found).toMatch(/node_modules.node-/);
    expect(execFileSync(found ?? '', ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./);
  });

  test('is not one whose program is damaged', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyturn-node-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, 'node_modules', platformPackage, 'bin');
    mkdirSync(program, { recursive: true });
    writeFileSync(join(folder, 'node_modules', platformPackage, 'package.json'), '{}');
    writeFileSync(join(program, 'node'), 'cut off', { mode: 0o755 });
    copyFileSync(join(import.meta.dirname, '../src/find-node.js'), join(folder, 'find-node.mjs'));
    const ask = `import { findNode } from ${JSON.stringify(join(folder, 'find-node.mjs'))};
      process.stdout.write(String(findNode({ isBuilt: false, version: '20.0.0' })));`;
    const found = execFileSync(process.execPath, ['--input-type=module', '-e', ask], { encoding: 'utf8' });
    expect(found).toBe('undefined');
  });

  test.each([
    { version: '24.0.0', isBuilt: false, will: 'do' },
    { version: '22.23.3', isBuilt: false, will: 'not do' },
    { version: '22.14.0', isBuilt: true, will: 'do' },
    { version: '22.13.1', isBuilt: true, will: 'not do' },
    { version: '20.20.2', isBuilt: true, will: 'not do' },
  ])('where no package brings one, $version will $will (built: $isBuilt)', ({ version, isBuilt, will }) => {
    const found = findNode({ isBuilt, version, platform: 'sunos-x64' });
    expect(found).toBe(will === 'do' ? process.execPath : undefined);
  });
});

describe('where there is none, it says', () => {
  test('which package is missing, and how to get it', () => {
    const message = explainMissingNode('20.20.2', here);
    expect(message).toContain('Keyturn needs Node 24, and this is Node 20.20.2. The package that brings it, node-');
    expect(message).toContain('is missing or damaged: install again as before, with `--include=optional` added');
  });

  test('where to get it, if no package has it', () => {
    expect(explainMissingNode('20.20.2', 'linux-x64-musl')).toContain('No package brings one for linux-x64-musl');
  });
});

test('each package that brings Node is pinned exactly, at a version of Node 24', () => {
  const packages = Object.entries(manifest.optionalDependencies);
  expect(packages.length).toBe(5);
  for (const [name, version] of packages) {
    expect(name).toMatch(/^node-/);
    expect(version).toMatch(/^24\.\d+\.\d+$/);
  }
  expect(existsSync(findNode({ isBuilt: false, version: '20.0.0', platform: here }) ?? '')).toBe(true);
});
