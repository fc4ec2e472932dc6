import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import type { Language } from '../../src/lib/words.ts';
import { TelegramSetting } from '../../test/e2e/telegram-setting.ts';

/** What was seen of a run. */
export interface Scenes {
  /** The chat at its end. */
  readonly chat: readonly ShownMessage[];
  /** What happened around a kill, one after the other. */
  readonly kill: readonly Step[];
}

/** A message as it was shown then, a line at the machine, or a press of a button of the last message. */
export type Step =
  | { readonly type: 'message'; readonly message: ShownMessage }
  | { readonly type: 'shell'; readonly line: string }
  | { readonly type: 'press'; readonly label: string };

const lines = {
  en: {
    note: 'Make a note: milk, bread',
    content: 'milk, bread',
    noted: 'It is in `notes.txt`.',
    remove: 'And now delete the old list, please',
    run: 'Run the tests',
    ran: 'All of them pass.',
  },
  zh: {
    note: '帮我记一下：牛奶、面包',
    content: '牛奶、面包',
    noted: '写在 `notes.txt` 里了。',
    remove: '再把旧的清单删掉吧',
    run: '运行一下测试',
    ran: '全部通过。',
  },
} as const;

/** Plays the scenes with a real daemon. */
export async function playScenes(language: Language): Promise<Scenes> {
  const say = lines[language];
  await using setting = await TelegramSetting.start({
    config: { language, tools: { shell: { sandbox: 'off' } }, approval: { policy: 'require_for_dangerous' } },
  });
  const { telegram, model, daemon } = setting;
  const ada = setting.newOwner();
  const shownTo = (person: number): readonly ShownMessage[] => telegram.chat(person).map((one) => named(one, person));
  model
    .onUser(say.note, {
      calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: `${say.content}\n` } }],
    })
    .onUser(say.remove, { calls: [{ name: 'shell', arguments: { command: 'rm -r old-lists' } }] })
    .onUser(say.run, { calls: [{ name: 'shell', arguments: { command: 'sh test.sh' } }] })
    .onResult(/^Created/, say.noted)
    .onResult(/passed/, say.ran);
  await writeFile(join(daemon.workspace, 'test.sh'), 'echo 12 passed\n');

  const first = await setting.askFor(ada, say.note);
  telegram.press(ada, first.id, approveOf(first));
  await telegram.waitForMessage(ada, say.noted.replaceAll('`', ''));
  await setting.askFor(ada, say.remove);
  const chat = shownTo(ada);

  const other = setting.newOwner();
  const card = await setting.askFor(other, say.run);
  const before = shownTo(other);
  // A card whose sending is not noted yet would be sent once more.
  await setting.allNoted();
  await daemon.kill();
  await setting.restart();
  telegram.press(other, card.id, approveOf(card));
  await telegram.waitForMessage(other, say.ran);
  const after = shownTo(other);
  const decided = after.filter(({ id, text }) => before.every((one) => one.id !== id || one.text !== text));
  return {
    chat,
    kill: [
      ...before.map((message) => ({ type: 'message', message }) as const),
      { type: 'shell', line: 'kill -9 $(pidof keyturn)' },
      { type: 'shell', line: 'npm start' },
      { type: 'press', label: card.buttons[0]?.label ?? '' },
      ...decided.map((message) => ({ type: 'message', message }) as const),
    ],
  };
}

/** The fake numbers people. Offsets of what follows on the line move along. */
function named(message: ShownMessage, person: number): ShownMessage {
  const [number, name] = [`Person ${person}`, 'Ada'];
  let { text, entities } = message;
  for (let at = text.indexOf(number); at !== -1; at = text.indexOf(number)) {
    const [from, lost] = [at, number.length - name.length];
    text = text.replace(number, name);
    entities = entities.map((one) => {
      if (one.offset > from) return { ...one, offset: one.offset - lost };
      return one.offset + one.length > from ? { ...one, length: one.length - lost } : one;
    });
  }
  return { ...message, text, entities };
}

function approveOf({ buttons }: ShownMessage): string {
  return buttons.find(({ data }) => data?.endsWith(':a'))?.data ?? '';
}
