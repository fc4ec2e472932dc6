import { describe, expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { reportText } from '../../src/cli/check-config.ts';
import { doctorWords } from '../../src/cli/doctor/words.ts';
import { doctorText } from '../../src/cli/doctor.ts';
import { cliWords, processLanguage } from '../../src/cli/words.ts';
import { textWidth } from '../../src/lib/text-width.ts';

describe('the terminal', () => {
  test.each([
    [{ LANG: 'zh_CN.UTF-8' }, undefined, 'zh'],
    [{ LANG: 'zh_CN.UTF-8' }, 'en', 'en'],
    [{ LC_ALL: 'C', LANG: 'zh_CN.UTF-8' }, undefined, 'en'],
    [{}, 'zh', 'zh'],
    [{}, undefined, 'en'],
  ] as const)('with %j, and %s in the config, speaks %s', (environment, language, spoken) => {
    expect(processLanguage(environment, { language })).toBe(spoken);
  });

  test('says in its language what is wrong with the arguments', () => {
    const reason = cliWords.zh.meantCommand({ written: 'docter', meant: 'doctor' });
    expect(readArguments(['docter'], [], 'zh')).toEqual({ type: 'wrong', reason });
    expect(readArguments(['docter'], [], 'en')).toMatchObject({
      reason: expect.stringContaining('Did you mean "doctor"?'),
    });
  });

  test('reports on the config in its language, in columns that are as wide as what stands in them', () => {
    const people = [{ channel: 'telegram', where: 'directly', owner: 'yes', friend: 'code', stranger: 'no' }] as const;
    const report = { faults: [], warnings: ['w'], notes: [], policy: { people, calls: [] }, language: 'zh' } as const;
    const lines = reportText(report, false, 'zh').split('\n');
    expect(lines[0]).toBe(cliWords.zh.warning({ text: 'w' }));
    expect(lines).toContain(cliWords.zh.usable);
    const [head = '', row = ''] = lines.slice(lines.findIndex((line) => line.startsWith('谁会被听到')));
    const columnOf = (line: string, cell: string): number => textWidth(line.slice(0, line.indexOf(cell)));
    expect(columnOf(head, '所有者')).toBe(columnOf(row, '是'));
    expect(columnOf(head, '陌生人')).toBe(columnOf(row, '否'));
  });

  test('says in its language that nothing is wrong with the installation', () => {
    const report = { parts: [{ name: 'socat', version: undefined, age: '' }], faults: [] };
    expect(doctorText(report, false, 'zh')).toBe(
      `socat       ${cliWords.zh.notInstalled}\n\n${doctorWords.zh.allWell}\n`,
    );
  });
});
