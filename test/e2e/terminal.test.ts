import { describe, expect, test } from 'vitest';
import { terminalWords } from '../../channels/terminal/words.ts';
import { choiceLines, firstStops } from '../../src/models/offline/tour.ts';
import { offlineLabel, offlineWords } from '../../src/models/offline/words.ts';
import { anything, saidLike } from '../support/said.ts';
import { runMain } from './run-main.ts';

const offline = { 'config.json': '{ "model": "offline" }' };

describe.concurrent('from a pipe', () => {
  test('without a config and an environment, a line is answered, and the process ends well', async () => {
    const { code, stdout, stderr } = await runMain({ input: 'list the files\n', fromSources: true });
    expect(stdout).toContain(offlineWords.en.nothingHere);
    expect(stderr).toContain(offlineLabel);
    expect(code).toBe(0);
  });

  test.each(['hello', 'こんにちは'])('%s is answered with who answers, and nothing else before it', async (words) => {
    const { stdout } = await runMain({ files: offline, input: `${words}\n` });
    expect(stdout).toBe(`${offlineWords.en.hello({ choices: choiceLines(firstStops, 'en') })}\n`);
  });

  test('the start says which model answers, where to chat, where the files are, and what asks', async () => {
    const { stderr } = await runMain({ files: offline, input: 'help\n' });
    expect(stderr).toMatch(/^Keyturn \d+\.\d+\.\d+\n/);
    expect(stderr).toMatch(/Model .*offline/);
    expect(stderr).toMatch(/Chat .*standard input/);
    expect(stderr).toMatch(/Files .*workspace/);
    expect(stderr).toMatch(/Approval .*asks before write_file/);
    expect(stderr).toMatch(/Config .*config\.json/);
    expect(stderr).not.toContain('/claim');
  });

  test('a y lets run what asks', async () => {
    const { code, stdout } = await runMain({ files: offline, input: 'run `echo turned the key`\ny\n' });
    expect(stdout).toContain('🔑 **Run `echo turned the key`?**');
    expect(stdout).toMatch(/✔️ ran `echo turned the key`/);
    expect(stdout.match(/allowed it at/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test('a question that nobody answers is left waiting, and that is said', async () => {
    const { code, stdout } = await runMain({ files: offline, input: 'run `echo $((1200000 + 34567))`\n' });
    expect(stdout).toContain(terminalWords.en.stillWaiting({ count: 1, shortcut: 'y' }));
    expect(stdout).not.toContain('1234567');
    expect(code).toBe(0);
  });

  test.each([
    [
      'en',
      ['hi', '1', 'y', '1', 'remind me in 5 minutes to stretch', 'delete notes.txt', 'y', 'thanks', 'bye'],
      /hello/,
    ],
    ['zh', ['你好', '1', 'y', '1', '5 分钟后提醒我喝水', '删除 notes.txt', 'y', '谢谢', '再见'], /hello/],
  ] as const)('the tour leads by numbers through writing, reading and more: %s', async (language, lines, content) => {
    const { code, stdout } = await runMain({ files: offline, input: `${lines.join('\n')}\n` });
    const say = offlineWords[language];
    expect(code).toBe(0);
    expect(stdout).toContain(say.hello({ choices: choiceLines(firstStops, language) }));
    expect(stdout).toContain(say.wrote({ isNew: true, file: '`notes.txt`', size: '5 bytes' }));
    expect(stdout).toMatch(content);
    expect(stdout).toContain(say.next({ choices: choiceLines(['edit'], language) }));
    expect(stdout).toMatch(saidLike(say.reminderSet({ time: anything, id: anything })));
    expect(stdout).toContain(say.ranQuietly);
    expect(stdout).toContain(say.thanks);
    expect(stdout).toContain(say.bye);
  });
});
