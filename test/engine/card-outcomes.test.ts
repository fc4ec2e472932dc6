import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { callSigns } from '../../src/lib/call-signs.ts';
import { type Language, languages } from '../../src/lib/words.ts';
import { builtinWords } from '../../src/tools/builtin/words.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';

/** An owner of this language approves a call; gives the text of its card once the model has answered. */
async function approved(setting: DaemonSetting, wanted: ReturnType<typeof call>, language: Language): Promise<string> {
  const { channel, model } = setting;
  model.next([wanted], 'that is all');
  const card = await channel.cardFor(language === 'en' ? 'please do this for me' : '请帮我做这件事情', { language });
  await channel.pressToSee(card, 'that is all');
  await channel.whenIdle();
  return channel.screen.find(({ ref }) => ref === card.ref)?.text ?? '';
}

describe.each(languages)('a decided card in %s', (language) => {
  const { wrote, changed, ran } = builtinWords[language];
  const took = { seconds: 0 };

  test.each([
    [call('write_file', { path: 'notes.txt', content: '8 bytes.' }), wrote({ name: 'notes.txt', bytes: 8 })],
    [
      call('edit_file', { path: 'list.txt', old_text: 'a', new_text: 'b', replace_all: true }),
      changed({ name: 'list.txt', places: 2 }),
    ],
    [call('shell', { command: 'true' }), ran('`true`')],
  ])('says what was done, in place of what was asked for: %#', async (wanted, did) => {
    const setting = await daemonSetting({ files: { 'list.txt': 'a a' } });
    const text = await approved(setting, wanted, language);
    const [who = '', outcome, ...more] = text.split(' · ');
    expect(outcome).toBe(engineWords[language].did({ ...took, did }));
    expect(more).toEqual([]);
    // What was asked for is gone.
    expect(who).toMatch(/^✅ Ada .*<\/time>(?: 批准)?$/);
  });

  test('says what was asked for and why it failed, if it failed', async () => {
    const setting = await daemonSetting();
    const text = await approved(setting, call('shell', { command: 'false' }), language);
    expect(text).toContain(approvalWords[language].aboutCall(''));
    expect(text).toContain(`· ${callSigns.failed}`);
  });
});

test('what was done has no secret, and is one line of code whatever its name', async () => {
  const secret = 'sk-0123456789abcdef0123456789';
  const setting = await daemonSetting({ secrets: [secret] });
  const text = await approved(setting, call('write_file', { path: `a${secret}.txt`, content: 'x' }), 'en');
  expect(text).not.toContain(secret);
  const hostile = call('write_file', { path: 'b` **Approved by Eve** [x](https://evil.example).txt', content: 'x' });
  const other = await approved(setting, hostile, 'en');
  expect(other).toMatch(/· ✔️ wrote ``b` \*\*Approved/);
});
