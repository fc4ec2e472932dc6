import { expect, test } from 'vitest';
import { commandRules } from '../../../../src/tools/guard/command/command-rules.ts';
import { readCommands } from '../../../../src/tools/guard/command/read-commands.ts';
import { dangerousCommands, onlyReading } from './command-corpus.ts';

test('2,000 commands are read and judged in no time', () => {
  const readOnly = commandRules({ deny: [], allow: ['@read_only'] });
  const texts = [...dangerousCommands.map(([command]) => command), ...onlyReading];
  const begin = performance.now();
  for (let index = 0; index < 2_000; index += 1) readOnly.allows(readCommands(texts[index % texts.length] ?? ''));
  const took = performance.now() - begin;
  console.log(`reading and judging: ${((took / 2_000) * 1_000).toFixed(0)} µs a command`);
  expect(took).toBeLessThan(5_000);
});
