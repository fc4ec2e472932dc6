import { useState } from 'preact/hooks';
import type { CommandOutcome, CommandWish } from '../../../../../src/features/page/wire/command.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { AskError } from '../../lib/ask.ts';
import { obey } from '../../lib/command.ts';
import { say } from '../../lib/language.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

type Wish = Omit<CommandWish, 'key'>;

/** What a command has answered, and where it was given. */
export interface Answered extends CommandOutcome, Pick<Wish, 'conversationId'> {}

/** Obeys commands, and keeps the answer of the last one until it is closed. */
export function useCommands() {
  const [answered, keep] = useState<Answered>();
  const give = async (wish: Wish): Promise<void> => {
    const outcome = await command(wish);
    keep(outcome && { ...outcome, conversationId: wish.conversationId });
  };
  return { answered, give: (wish: Wish) => void give(wish), close: () => keep(undefined) };
}

interface CommandDialogProps {
  readonly title: string;
  readonly answered: Answered | undefined;
  readonly onGive: (wish: Wish) => void;
  readonly onClose: () => void;
}

/** The answer of a command, with what can be done next. */
export function CommandDialog({ title, answered, onGive, onClose }: CommandDialogProps) {
  if (answered === undefined || answered.markdown === '') return null;
  const { markdown, buttons, conversationId } = answered;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={buttons.map(({ label, style, line }) => (
        <Button key={line} style={style} onPress={() => onGive({ line, conversationId })}>
          {label}
        </Button>
      ))}
    >
      <Markdown text={markdown} />
    </Dialog>
  );
}

/** Obeys a command as its person. Undefined if it could not be asked: then they are told. */
export async function command(wish: Wish): Promise<CommandOutcome | undefined> {
  try {
    return await obey(wish);
  } catch (error) {
    toast(error instanceof AskError && error.status > 0 ? error.message : say(waitingWords).unreachable, 'fault');
    return undefined;
  }
}
