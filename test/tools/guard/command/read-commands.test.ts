// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is for the shell
import { describe, expect, test } from 'vitest';
import { doesKind } from '../../../../src/tools/guard/command/command-reading.ts';
import { commandRules } from '../../../../src/tools/guard/command/command-rules.ts';
import { readCommands } from '../../../../src/tools/guard/command/read-commands.ts';
import { dangerousCommands, notOnlyReading, onlyReading } from './command-corpus.ts';

const readOnly = commandRules({ deny: [], allow: ['@read_only'] });

describe('what a command does is noticed', () => {
  test.each(dangerousCommands)('%j: %s', (command, kind) => {
    expect(doesKind(readCommands(command), kind)).toBe(true);
  });
});

describe('only what is known to look is taken for looking', () => {
  test.each([...dangerousCommands.map(([command]) => command), ...notOnlyReading])('not %j', (command) => {
    expect(readOnly.allows(readCommands(command))).toBe(false);
  });

  test('few of the harmless commands of every day are taken for more than that', () => {
    const alarms = onlyReading.filter((command) => !readOnly.allows(readCommands(command)));
    console.log(`false alarms: ${alarms.length} of ${onlyReading.length} harmless commands ${alarms.join(' · ')}`);
    expect(onlyReading.length).toBeGreaterThanOrEqual(100);
    expect(alarms).toEqual([]);
  });

  test.each(onlyReading)('nothing is said against %j', (command) => {
    const kinds = readCommands(command).commands.flatMap(({ findings }) => findings.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind !== 'reading')).toEqual([]);
  });
});

describe('the commands of a text', () => {
  const programs = (text: string): readonly string[] => readCommands(text).commands.map(({ program }) => program);

  test.each([
    ['a | b && c; d', ['a', 'b', 'c', 'd']],
    ['sudo -u bob env X=1 timeout 5 rm x', ['sudo', 'env', 'timeout', 'rm']],
    ['bash -c \'a; b "$(c)"\'', ['bash', 'a', 'c', 'b']],
    ['find . -exec a {} \\; -exec b {} +', ['find', 'a', 'b']],
    ['/usr/bin/env /bin/cat x', ['env', 'cat']],
  ])('%j', (text, expected) => {
    expect(programs(text)).toEqual(expected);
  });

  test('know what runs them, which is not what merely stands around them', () => {
    const { commands } = readCommands('(sudo env ls)');
    expect(commands.map(({ program, via }) => [program, via])).toEqual([
      ['sudo', []],
      ['env', ['sudo']],
      ['ls', ['sudo', 'env']],
    ]);
  });
});

describe('a text that is hard to read', () => {
  const deep = 5_000;

  test.each([
    ['substitutions', `echo ${'$('.repeat(deep)}rm x${')'.repeat(deep)}`],
    ['subshells', `${'('.repeat(deep)}rm x${')'.repeat(deep)}`],
    ['groups', `${'{ '.repeat(deep)}rm x${'; }'.repeat(deep)}`],
    ['conditions', `${'if '.repeat(deep)}rm x`],
    ['evals', `${'eval '.repeat(deep)}rm x`],
    ['wrappers', `${'env '.repeat(deep)}rm x`],
    ['expansions', `echo ${'${x:-'.repeat(deep)}x${'}'.repeat(deep)}`],
    ['quotes', `echo ${'"$('.repeat(deep)}x${')"'.repeat(deep)}`],
    ['searches in searches', `find . ${'-exec find . '.repeat(deep / 2)} ls ;`],
    ['searches one after the other', `find . ${'-exec ls '.repeat(deep / 2)}; $X`],
    ['searches by the other program', `${'fd -x '.repeat(deep)}ls`],
    ['blanks for sed', `sed '${' '.repeat(30_000)}x'; $X`],
    ['very long text', `ls ${'x'.repeat(40_000)}`],
    ['very many commands', 'ls;'.repeat(9_000)],
  ])('is unknown, at once: %s', (_, text) => {
    const begin = performance.now();
    const reading = readCommands(text);
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(readOnly.allows(reading)).toBe(false);
    expect(doesKind(reading, 'unknown')).toBe(true);
  });

  test('2,000 commands are read in no time', () => {
    const texts = [...dangerousCommands.map(([command]) => command), ...onlyReading];
    const begin = performance.now();
    for (let index = 0; index < 2_000; index += 1) readOnly.allows(readCommands(texts[index % texts.length] ?? ''));
    const took = performance.now() - begin;
    console.log(`reading and judging: ${((took / 2_000) * 1_000).toFixed(0)} µs a command`);
    expect(took).toBeLessThan(5_000);
  });
});
