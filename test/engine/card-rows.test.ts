import { describe, expect, test } from 'vitest';
import { cardParts } from '../../src/lib/card-parts.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';

/** What everybody reads of a card, in rows of text. */
const rowsOf = (text: string): readonly string[] =>
  cardParts(text)
    .shown.split('\n')
    .filter((line) => line !== '' && !line.startsWith('```'));

describe.each(['en', 'zh'] as const)('a card in %s has few rows', (language) => {
  test.each([
    ['a short command', call('shell', { command: 'npm test' }), 6],
    ['a command of three lines', call('shell', { command: 'cd a\nmake\nmake test' }), 9],
    ['a file of 8 bytes', call('write_file', { path: 'notes.txt', content: '8 bytes.' }), 4],
  ])('%s', async (_, wanted, most) => {
    const { channel, model } = await daemonSetting();
    model.next([wanted], 'ok');
    await channel.say(language === 'en' ? 'please do this for me' : '请帮我做这件事情', { language });
    const rows = rowsOf((await channel.card()).text);
    expect(rows.length, rows.join('\n')).toBeLessThanOrEqual(most);
  });
});
