import { useState } from 'preact/hooks';
import type { CommandOutcome, CommandWish } from '../../../../../src/features/page/wire/command.ts';
import type { WaitingMatter } from '../../../../../src/features/page/wire/waiting.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { AskError, tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { goTo } from '../../lib/place.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

interface MattersProps {
  readonly matters: readonly WaitingMatter[];
  readonly again: () => void;
}

/** What else waits, with its commands as buttons. */
export function Matters({ matters, again }: MattersProps) {
  const words = say(waitingWords);
  const [outcome, setOutcome] = useState<CommandOutcome>();
  const obey = async (line: string): Promise<void> => {
    // The people have a place of their own on the page.
    if (line === 'people') return goTo('/people');
    const answer = await command({ line });
    setOutcome(answer);
    again();
  };
  if (matters.length === 0 && outcome === undefined) return null;
  return (
    <section class="waiting-matters" aria-label={words.other}>
      <h2>{words.other}</h2>
      <ul>
        {matters.map(({ id, markdown, buttons }) => (
          <li key={id}>
            <Markdown text={markdown} />
            <div class="waiting-buttons">
              {buttons.map(({ label, style, line }) => (
                <Button key={line} style={style} onPress={() => void obey(line)}>
                  {label}
                </Button>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {outcome !== undefined && outcome.markdown !== '' && (
        <Dialog
          title={words.other}
          onClose={() => setOutcome(undefined)}
          foot={outcome.buttons.map(({ label, style, line }) => (
            <Button key={line} style={style} onPress={() => void obey(line)}>
              {label}
            </Button>
          ))}
        >
          <Markdown text={outcome.markdown} />
        </Dialog>
      )}
    </section>
  );
}

/** Obeys a command as its person. Undefined if it could not be asked: then they are told. */
export async function command(wish: CommandWish): Promise<CommandOutcome | undefined> {
  try {
    return await tell<CommandOutcome>('command', wish);
  } catch (error) {
    toast(error instanceof AskError && error.status > 0 ? error.message : say(waitingWords).unreachable, 'fault');
    return undefined;
  }
}
