import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { everyKey } from './example-configs.ts';
import { loadText } from './load-text.ts';

const pieces = [...'{}[]",:\\-\n\ud800', '//', '/*', `\${`, `\${A}`, '{chat_id}', 'null', '1e999', '__proto__'];

/** How many configs: the long form sets more. */
const numRuns = Math.min(2_000, Number(process.env.KEYTURN_PROPERTY_RUNS ?? 40));
const runs = { numRuns, seed: 20_261_121 };

/** Loads it; anything but a config or a `ConfigError` with its places is a failure. */
async function tryToLoad(text: string): Promise<void> {
  const outcome: unknown = await loadText(text, { env: { A: 'value', ANTHROPIC_API_KEY: 'k' } }).catch(
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) return;
  expect(outcome).toBeInstanceOf(ConfigError);
  if (outcome instanceof ConfigError) expect(outcome.faults.length).toBeGreaterThan(0);
  expect(outcome.message).not.toMatch(/undefined|\[object|Invalid input/);
}

describe('whatever stands in the file', () => {
  test('a mutated config is loaded or refused, never a crash', async () => {
    const mutation = fc.record({
      at: fc.nat(everyKey.length),
      remove: fc.nat(40),
      insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
        const text = mutations.reduce(
          (before, { at, remove, insert }) => before.slice(0, at) + insert + before.slice(at + remove),
          everyKey,
        );
        await tryToLoad(text);
      }),
      runs,
    );
  });

  test('a config with any value in any place is loaded or refused, never a crash', async () => {
    const keys =
      'model models agent channels telegram proxy approval owners tools shell enabled provider token a'.split(' ');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('object'), fc.array(tie('tree'), { maxLength: 3 })),
      object: fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('tree'), { maxKeys: 5 }),
      leaf: fc.oneof(fc.constantFrom('google', 'a', `\${A}`, `\${B}`, 'telegram:1'), fc.jsonValue({ maxDepth: 0 })),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), tree), (root) => tryToLoad(JSON.stringify(root))),
      runs,
    );
  });
});
