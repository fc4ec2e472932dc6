import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const limit = new URL('../../src/cli/young-generation.ts', import.meta.url).href;

/** The largest young generation of a process that makes much, in MB, after the program has done something first. */
async function mostYoung(first: string): Promise<number> {
  const program = `import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    import { youngGenerationLimit } from ${JSON.stringify(limit)};
    const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
    async function work() {
      const kept = [];
      let most = 0;
      for (let index = 0; index < 40; index += 1) {
        kept[index % 5] = Array.from({ length: 20_000 }, (_, at) => ({ at }));
        most = Math.max(most, size());
        await new Promise((resolve) => setImmediate(resolve));
      }
      return most;
    }
    function collect() {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    }
    const limit = youngGenerationLimit();
    ${first}
    process.stdout.write(String(await work()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

test('the young generation grows to what a message needs, and no further, whatever is made', async () => {
  const free = await mostYoung('');
  const limited = await mostYoung('limit();');
  expect(free).toBeGreaterThan(24);
  expect(limited).toBeLessThan(20);
  expect(limited).toBeGreaterThan(4);
});

test('after a collection has made it small, it grows again, as far as before', async () => {
  const again = await mostYoung('limit(); await work(); collect(); limit();');
  expect(again).toBeLessThan(20);
  expect(again).toBeGreaterThan(4);
});
