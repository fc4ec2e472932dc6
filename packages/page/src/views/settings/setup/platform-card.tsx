import { useState } from 'preact/hooks';
import type { PlatformWire, TriedPlatformWire } from '../../../../../../src/features/page/wire/settings.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { tell } from '../../../lib/ask.ts';
import { say } from '../../../lib/language.ts';
import { proposeEdits, unlessRefused } from '../saving.ts';
import { proposeDraft } from './drafts.ts';
import { setupWords } from './words.ts';

type Typed = Readonly<Record<string, string>>;

/** A platform, and its tokens, which it is asked about at once. */
export function PlatformCard({ platform }: { readonly platform: PlatformWire }) {
  const { name, title, isOn, help, tokens } = platform;
  const words = say(setupWords).platform;
  const [typed, setTyped] = useState<Typed>({});
  const [tried, setTried] = useState<TriedPlatformWire>();
  const [isAsking, setAsking] = useState(false);
  const isComplete = tokens.every(({ key, isThere }) => isThere || (typed[key] ?? '') !== '');
  const attempt = async () => {
    setAsking(true);
    await unlessRefused(async () =>
      setTried(await tell<TriedPlatformWire>(`settings/platforms/${name}/try`, { tokens: filled(typed) })),
    );
    setAsking(false);
  };
  return (
    <section class="settings-card" aria-label={title}>
      <h2>
        {title} <Badge kind={isOn ? 'good' : 'plain'}>{isOn ? words.isOn : words.isOff}</Badge>
      </h2>
      <details>
        <summary>{words.help}</summary>
        <p class="settings-said">{help}</p>
      </details>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt();
        }}
      >
        {tokens.map(({ key, question, isThere }) => (
          <TextField
            key={key}
            label={question}
            {...(isThere ? { hint: words.there } : {})}
            value={typed[key] ?? ''}
            type="password"
            autoComplete="new-password"
            onInput={(text) => {
              setTyped({ ...typed, [key]: text });
              setTried(undefined);
            }}
          />
        ))}
        <div class="settings-actions">
          <Button type="submit" isBusy={isAsking} isDisabled={!isComplete}>
            {words.check({ title })}
          </Button>
          {isOn && (
            <Button onPress={() => void proposeEdits([{ path: ['channels', name, 'enabled'], value: false }])}>
              {words.switchOff}
            </Button>
          )}
        </div>
      </form>
      <div role="status">
        {tried !== undefined && (
          <Answer title={title} tried={tried} onUse={() => void proposeDraft(tried, filled(typed))} />
        )}
      </div>
    </section>
  );
}

interface AnswerProps {
  readonly title: string;
  readonly tried: TriedPlatformWire;
  readonly onUse: () => void;
}

/** What the platform has said of the tokens. */
function Answer({ title, tried, onUse }: AnswerProps) {
  const words = say(setupWords).platform;
  const { ok, state, problems, edits } = tried;
  const use = <Button onPress={onUse}>{ok ? words.switchOn : words.useAnyhow}</Button>;
  if (ok)
    return (
      <Notice kind="good" actions={use}>
        {words.taken({ title, state })}
      </Notice>
    );
  return (
    <Notice kind="danger" actions={edits.length === 0 ? undefined : use}>
      {problems.map(({ what, why, mend }) => (
        <p key={what} class="settings-said">
          {[what, why, mend].filter(Boolean).join('\n')}
        </p>
      ))}
    </Notice>
  );
}

function filled(typed: Typed): Typed {
  return Object.fromEntries(
    Object.entries(typed)
      .filter(([, value]) => value.trim() !== '')
      .map(([key, value]) => [key, value.trim()]),
  );
}
