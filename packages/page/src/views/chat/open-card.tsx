import { useSignal } from '@preact/signals';
import type { CardEntry } from '../../../../../src/features/page/wire/chat.ts';
import type { DecideAnswer, WaitingCard, WaitingRoom } from '../../../../../src/features/page/wire/waiting.ts';
import { ApprovalCard } from '../../components/approval/approval-card.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Time } from '../../components/time.tsx';
import { ask, tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { useAsked } from '../../lib/query.ts';
import { toast } from '../../lib/toasts.ts';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

interface CardViewProps {
  readonly entry: CardEntry;
  readonly thread: Thread;
}

/** What was asked of people: to decide, if it still asks and this person may; else how it ended. */
export function CardView({ entry, thread }: CardViewProps) {
  const { approvalId, state } = entry;
  const isOpen = state === 'pending' && approvalId !== undefined;
  return isOpen ? <OpenCard approvalId={approvalId} entry={entry} thread={thread} /> : <ToldCard entry={entry} />;
}

function OpenCard({ approvalId, entry, thread }: CardViewProps & { readonly approvalId: string }) {
  const isBusy = useSignal(false);
  const { data, isLoading } = useAsked<WaitingRoom>('waiting', ['waiting']);
  const whole = useSignal<WaitingCard | undefined>(undefined);
  const card = data?.cards.find(({ id }) => id === approvalId);
  const decide = async (choice: string, text: string): Promise<void> => {
    isBusy.value = true;
    try {
      const answer = await tell<DecideAnswer>('decide', { id: approvalId, choice, text });
      if (!answer.isDone) toast(answer.words, 'fault');
      await thread.refresh();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'fault');
    } finally {
      isBusy.value = false;
    }
  };
  const showFiles = async (): Promise<void> => {
    try {
      whole.value = await ask<WaitingCard>(`waiting/${encodeURIComponent(approvalId)}`);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'fault');
    }
  };
  if (data === undefined && isLoading) return null;
  // Others decide it, or it is decided.
  if (card === undefined) return <ToldCard entry={entry} />;
  return (
    <ApprovalCard
      card={whole.value ?? card}
      isBusy={isBusy.value}
      onDecide={(choice, text) => void decide(choice, text)}
      onShowFiles={() => void showFiles()}
    />
  );
}

/** The words of a card, as all see them. */
function ToldCard({ entry: { at, markdown, state } }: { readonly entry: CardEntry }) {
  const words = say(chatWords);
  return (
    <article class={`chat-entry chat-card chat-card-${state}`} aria-label={words.decide}>
      <header class="chat-who">
        <span>{words.system}</span> <Time at={at} />
      </header>
      <Markdown text={markdown} />
    </article>
  );
}
