/*
 * The Telegram of the demo: the one that the tests talk to, which is as strict as the real one, on this machine. It is loaded
 * only by the demo; nothing else of the program knows it.
 */

/** The person of the demo; their chat has the same number. */
export const person = 501;

/** A message as it stands in the chat now. */
export interface PhoneMessage {
  readonly id: number;
  readonly from: 'bot' | 'user';
  readonly text: string;
  /** The labels of the buttons below it. */
  readonly rows: readonly (readonly string[])[];
  /** What a press of each button sends. */
  readonly data: readonly (string | undefined)[];
}

export interface Phone {
  readonly root: string;
  readonly token: string;
  messages(): readonly PhoneMessage[];
  say(text: string): void;
  /** Presses what was a button of this message, whether or not it still is. Resolves with what is said to the person. */
  press(message: PhoneMessage, data: string): Promise<string>;
  /** Waits for something that the chat shows, or that is asked of Telegram. */
  waitFor<Found>(look: () => Found | undefined | false): Promise<Found>;
  /** Whether somebody waits for what is written. */
  isHeard(): boolean;
  close(): Promise<void>;
}

/** How long the demo waits for anything, in ms. */
const patience = 60_000;

export async function openPhone(): Promise<Phone> {
  const { TelegramServer } = await import('../../../../packages/fakes/src/telegram-server.ts');
  const telegram = await TelegramServer.start();
  const limits = { timeoutMs: patience };
  const user = { id: person, is_bot: false, first_name: 'Ada' };
  return {
    root: telegram.root,
    token: telegram.token,
    messages: () =>
      telegram.chat(person).map(({ id, from, text, entities, rows, buttons }) => ({
        id,
        from,
        text: closed(text, entities),
        rows: rows.map((row) => row.map(({ label }) => label)),
        data: buttons.map(({ data }) => data),
      })),
    say: (text) => void telegram.say(person, text, { from: user }),
    async press({ id }, data) {
      const { text = '' } = await telegram.press(person, id, data, { from: user, forged: true }).answered;
      return text;
    },
    waitFor: async (look) => telegram.waitFor(look, limits),
    isHeard: () => telegram.isPolled,
    close: () => telegram.close(),
  };
}

interface Marked {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
}

/** As the phone shows it before anybody opens it: of each folded part its first line. */
function closed(text: string, marks: readonly Marked[]): string {
  const folded = marks.filter(({ type }) => type === 'expandable_blockquote');
  return folded.reduceRight((shown, { offset, length }) => {
    const [title = ''] = shown.slice(offset, offset + length).split('\n');
    return `${shown.slice(0, offset)}▸ ${title}${shown.slice(offset + length)}`;
  }, text);
}
