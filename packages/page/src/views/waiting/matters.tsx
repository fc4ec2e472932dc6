import type { WaitingMatter } from '../../../../../src/features/page/wire/waiting.ts';
import { Button } from '../../components/button.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { withoutSign } from '../../lib/labels.ts';
import { say } from '../../lib/language.ts';
import { goTo } from '../../lib/place.ts';
import { CommandDialog, useCommands } from './commanding.tsx';
import { waitingWords } from './words.ts';

/** What else waits, with its commands as buttons. */
export function Matters({ matters }: { readonly matters: readonly WaitingMatter[] }) {
  const words = say(waitingWords);
  const { answered, give, close } = useCommands();
  const obey = (line: string): void => {
    // The people have a place of their own on the page.
    if (line === 'people') goTo('/people');
    else give({ line });
  };
  if (matters.length === 0 && answered === undefined) return null;
  return (
    <section class="waiting-matters" aria-label={words.other}>
      <h2>{words.other}</h2>
      <ul>
        {matters.map(({ id, markdown, buttons }) => (
          <li key={id}>
            <Markdown text={markdown} />
            <div class="waiting-buttons">
              {buttons.map(({ label, style, line }) => (
                <Button key={line} style={style} onPress={() => obey(line)}>
                  {withoutSign(label)}
                </Button>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <CommandDialog title={words.other} answered={answered} onGive={give} onClose={close} />
    </section>
  );
}
