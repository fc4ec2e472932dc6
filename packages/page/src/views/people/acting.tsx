import { type Signal, useSignal } from '@preact/signals';
import type { CommandOutcome } from '../../../../../src/features/page/wire/command.ts';
import type { ActShown } from '../../../../../src/features/page/wire/people.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { obey } from '../../lib/command.ts';
import { withoutSign } from '../../lib/labels.ts';
import { say } from '../../lib/language.ts';
import { toast } from '../../lib/toasts.ts';
import { peopleWords } from './words.ts';

/** What is done by the buttons of a list: one thing at a time. */
export interface Acting {
  /** What is asked about before it is done. */
  readonly doubted: Signal<Doubted | undefined>;
  /** The line that is being obeyed. */
  readonly busy: Signal<string | undefined>;
  /** What came of the last one. */
  readonly outcome: Signal<CommandOutcome | undefined>;
}

interface Doubted {
  readonly act: ActShown;
  /** The entry that it is about. */
  readonly title: string;
}

export function useActing(): Acting {
  return { doubted: useSignal(undefined), busy: useSignal(undefined), outcome: useSignal(undefined) };
}

/** Asks first, or for a text, if the button says so. */
export function begin(act: ActShown, title: string, acting: Acting): void {
  if (act.question !== undefined || act.text !== undefined) acting.doubted.value = { act, title };
  else void perform(act, act.line, acting);
}

async function perform(act: ActShown, line: string, { busy, doubted, outcome }: Acting): Promise<void> {
  busy.value = act.line;
  try {
    outcome.value = await obey({ line, conversationId: act.conversationId });
    doubted.value = undefined;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), 'fault');
  } finally {
    busy.value = undefined;
  }
}

interface ActsProps {
  readonly acts: readonly ActShown[];
  readonly title: string;
  readonly acting: Acting;
}

/** The buttons of an entry. Each says to readers of the screen which entry it is about. */
export function Acts({ acts, title, acting }: ActsProps) {
  return (
    <div class="people-acts">
      {acts.map((act) => (
        <Button
          key={act.line}
          style={act.style}
          isBusy={acting.busy.value === act.line}
          onPress={() => begin(act, title, acting)}
        >
          {withoutSign(act.label)}
          <span class="unseen"> {title}</span>
        </Button>
      ))}
    </div>
  );
}

/** What was said to the last command, and what is asked before the next. */
export function ActingPlace({ acting }: { readonly acting: Acting }) {
  const words = say(peopleWords);
  const outcome = acting.outcome.value;
  return (
    <>
      <div role="status" aria-label={words.whatWasSaid}>
        {outcome !== undefined && outcome.markdown !== '' && (
          <div class="people-outcome">
            <Markdown text={outcome.markdown} />
            <div class="people-acts">
              {outcome.buttons.map(({ label, style, line }) => (
                <Button key={line} style={style} onPress={() => void perform({ label, style, line }, line, acting)}>
                  {label}
                </Button>
              ))}
              <Button
                style="quiet"
                onPress={() => {
                  acting.outcome.value = undefined;
                }}
              >
                {words.close}
              </Button>
            </div>
          </div>
        )}
      </div>
      {acting.doubted.value !== undefined && (
        <Question key={acting.doubted.value.act.line} acting={acting} {...acting.doubted.value} />
      )}
    </>
  );
}

function Question({ act, title, acting }: Doubted & { readonly acting: Acting }) {
  const words = say(peopleWords);
  const typed = useSignal(act.text?.now ?? '');
  const close = (): void => {
    acting.doubted.value = undefined;
  };
  const isBusy = acting.busy.value !== undefined;
  if (act.text === undefined)
    return (
      <Confirm
        title={title}
        action={withoutSign(act.label)}
        isDanger={act.style === 'danger'}
        isBusy={isBusy}
        onConfirm={() => void perform(act, act.line, acting)}
        onClose={close}
      >
        <p>{act.question}</p>
      </Confirm>
    );
  return (
    <Dialog
      title={withoutSign(act.label)}
      onClose={close}
      foot={
        <>
          <Button onPress={close}>{words.keep}</Button>
          <Button
            style="primary"
            isBusy={isBusy}
            isDisabled={typed.value.trim() === ''}
            onPress={() => void perform(act, `${act.line} ${typed.value.trim()}`, acting)}
          >
            {words.save}
          </Button>
        </>
      }
    >
      <TextField
        label={words.newText}
        value={typed.value}
        onInput={(text) => {
          typed.value = text;
        }}
        {...(act.text.isLong ? { rows: 5 } : {})}
      />
    </Dialog>
  );
}
