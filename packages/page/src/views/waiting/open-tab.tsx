import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type {
  CardOffer,
  DecideAnswer,
  Standing,
  WaitingCard,
  WaitingRoom,
} from '../../../../../src/features/page/wire/waiting.ts';
import { ApprovalCard } from '../../components/approval/approval-card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { AskError, ask, tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { toast } from '../../lib/toasts.ts';
import { useCardKeys } from './card-keys.ts';
import { CommandDialog, useCommands } from './commanding.tsx';
import { useEndings } from './endings.ts';
import { Matters } from './matters.tsx';
import { waitingWords } from './words.ts';

interface OpenTabProps {
  readonly room: WaitingRoom;
  readonly again: () => void;
}

/** The cards that ask. A decided one stays as a line, until the person leaves. */
export function OpenTab({ room, again }: OpenTabProps) {
  const words = say(waitingWords);
  const { cards, endings, end } = useEndings(room.cards);
  const list = useRef<HTMLDivElement>(null);
  useCardKeys(list);
  const pressed = useRef(new Set<string>());
  const { answered, give, close } = useCommands();
  const open = cards.filter(({ id }) => !endings.has(id));
  // What stands where may have changed: the buttons of all cards wait for a moment.
  const settled = cards.map(({ id }) => `${id}${endings.has(id) ? '-' : ''}`).join();
  const isNothing = cards.length === 0 && room.matters.length === 0;
  return (
    <div class="waiting-open">
      {isNothing && (
        <Empty icon="waiting" title={words.nothing}>
          {words.nothingMore}
        </Empty>
      )}
      {open.length > 0 && <p class="waiting-keys">{words.keys}</p>}
      <div ref={list} class="waiting-cards">
        {cards.map((card) => {
          const ending = endings.get(card.id);
          return ending === undefined ? (
            <OneCard
              key={card.id}
              card={card}
              settled={settled}
              onPress={() => pressed.current.add(card.id)}
              onEnd={(how) => end(card.id, how)}
              onOffer={give}
              again={again}
            />
          ) : (
            <Ended key={card.id} card={card} ending={ending} isPressed={pressed.current.has(card.id)} />
          );
        })}
      </div>
      {room.isCut && <Notice>{words.isCut}</Notice>}
      <Matters matters={room.matters} />
      <CommandDialog title={words.rule} answered={answered} onGive={give} onClose={close} />
    </div>
  );
}

interface OneCardProps {
  readonly card: WaitingCard;
  readonly settled: string;
  /** The person has decided it here. */
  readonly onPress: () => void;
  readonly onEnd: (ending: Standing) => void;
  readonly onOffer: (offer: CardOffer) => void;
  readonly again: () => void;
}

function OneCard({ card, settled, onPress, onEnd, onOffer, again }: OneCardProps) {
  const words = say(waitingWords);
  const [isBusy, setBusy] = useState(false);
  const [whole, setWhole] = useState<WaitingCard>();
  const decide = async (choice: string, text: string): Promise<void> => {
    setBusy(true);
    onPress();
    try {
      const answer = await tell<DecideAnswer>('decide', { id: card.id, choice, text });
      if (!answer.isDone) toast(answer.words, 'fault');
      if (answer.state !== 'pending') onEnd(answer);
    } catch (error) {
      toast(error instanceof AskError && error.status > 0 ? error.message : words.unreachable, 'fault');
    } finally {
      setBusy(false);
      again();
    }
  };
  const showFiles = (): void => {
    ask<WaitingCard>(`waiting/${card.id}`).then(setWhole, again);
  };
  return (
    <ApprovalCard
      card={whole ?? card}
      settled={settled}
      isBusy={isBusy}
      onDecide={(choice, text) => void decide(choice, text)}
      onShowFiles={showFiles}
      onOffer={onOffer}
    />
  );
}

interface EndedProps {
  readonly card: WaitingCard;
  readonly ending: Standing;
  readonly isPressed: boolean;
}

/** What became of a card, in a line that takes its place. */
function Ended({ card, ending, isPressed }: EndedProps) {
  const line = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // The focus was on the card that this line replaces.
    if (line.current === null || document.activeElement !== document.body) return;
    // Only from what was decided here: a key that was meant for another card decides none.
    const next = isPressed ? nextCard(line.current) : undefined;
    (next ?? line.current).focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <article
      class={`waiting-ended waiting-ended-${ending.state}`}
      tabIndex={-1}
      data-ended={card.id}
      data-state={ending.state}
      ref={line}
    >
      <strong role="status">{endingWords(ending)}</strong> {ending.at !== undefined && <Time at={ending.at} />}
      <div class="waiting-ended-what">
        <Markdown text={card.description} />
      </div>
    </article>
  );
}

/** The card below that still asks. */
function nextCard(line: HTMLElement): HTMLElement | undefined {
  const all = [...(line.parentElement?.children ?? [])].filter((one) => one instanceof HTMLElement);
  return all.slice(all.indexOf(line)).find(({ dataset }) => dataset.approval !== undefined);
}

function endingWords({ state, by }: Standing): string {
  const words = say(waitingWords);
  const name = by?.isReader === true ? words.you : (by?.name ?? '');
  switch (state) {
    case 'approved':
    case 'denied':
    case 'answered':
      return by === undefined ? words.elsewhere : words.outcome[state]({ name });
    case 'expired':
      return words.expired;
    case 'cancelled':
      return words.cancelled;
    case 'pending':
    case 'unknown':
      return words.unknown;
  }
}
