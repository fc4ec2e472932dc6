import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { CardOffer, WaitingCard, WaitingChoice } from '../../../../../src/features/page/wire/waiting.ts';
import { placeName } from '../../lib/channels.ts';
import { withoutSign } from '../../lib/labels.ts';
import { say } from '../../lib/language.ts';
import { clockTime, now } from '../../lib/time.ts';
import { Badge } from '../badge.tsx';
import { Button } from '../button.tsx';
import { TextField } from '../field.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { Notice } from '../notice.tsx';
import { Time } from '../time.tsx';
import './approval-card.css';
import { Diff } from './diff.tsx';
import { useSeen } from './use-seen.ts';
import { Values } from './values.tsx';
import { approvalWords } from './words.ts';

/** The choice that answers a question in words. */
const inWords = 'text';

export interface ApprovalCardProps {
  readonly card: WaitingCard;
  /** Somebody has chosen, with the text that the choice takes. */
  readonly onDecide: (choice: string, text: string) => void;
  /** A decision is on its way. */
  readonly isBusy?: boolean;
  /** Changes when the card may stand where another one stood: its buttons then wait for a moment. */
  readonly settled?: string | number;
  /** Asks for the texts of files that are too long for a list. */
  readonly onShowFiles?: (() => void) | undefined;
  /** Asks about the lasting rule that the card offers. */
  readonly onOffer?: ((offer: CardOffer) => void) | undefined;
}

/**
 * What asks for a decision, with all that is needed to decide: what, why, for whom, what speaks against it, and all that it
 * is called with. Its buttons do nothing until they have been seen for a moment.
 */
export function ApprovalCard({ card, onDecide, isBusy = false, settled = '', ...more }: ApprovalCardProps) {
  const words = say(approvalWords);
  const heading = useId();
  return (
    <article
      class={card.isDangerous ? 'approval approval-dangerous' : 'approval'}
      aria-labelledby={heading}
      data-approval={card.id}
      tabIndex={-1}
    >
      <header class="approval-head">
        <h2>{words.kinds[card.kind]}</h2>
        {card.tool !== '' && card.kind === 'call' && <code class="approval-tool">{card.tool}</code>}
        {card.category !== undefined && <Badge kind={card.isDangerous ? 'danger' : 'plain'}>{card.category}</Badge>}
      </header>
      <div id={heading} class="approval-what">
        <Markdown text={card.description} />
      </div>
      <Facts card={card} />
      {card.isDangerous && (
        <Notice kind="warning" title={words.dangerous}>
          {card.danger ?? card.category}
        </Notice>
      )}
      <Why card={card} />
      <Files card={card} onShowFiles={more.onShowFiles} />
      <Everything card={card} />
      <Actions card={card} onDecide={onDecide} isBusy={isBusy} settled={settled} onOffer={more.onOffer} />
    </article>
  );
}

/** For whom, where, since when and until when. */
function Facts({ card }: { readonly card: WaitingCard }) {
  const words = say(approvalWords);
  const { requester, conversation, createdAt, expiresAt } = card;
  const isOver = expiresAt !== undefined && expiresAt <= now.value;
  const until = expiresAt === undefined ? words.notShown : words.openUntil({ time: clockTime(expiresAt) });
  return (
    <p class="approval-facts">
      <span title={requester.principal}>
        {requester.isReader ? words.forYou : words.forPerson({ name: requester.name })}
      </span>
      {conversation.channel !== '' && <span>{placeName(conversation)}</span>}
      <span>
        {words.asked} <Time at={createdAt} />
      </span>
      <span>{isOver ? words.over : until}</span>
    </p>
  );
}

/** Why it is done and what speaks against it, then what must be read. */
function Why({ card }: { readonly card: WaitingCard }) {
  const words = say(approvalWords);
  const body = card.files.length === 0 ? card.body : withoutChanges(card.body);
  return (
    <>
      {card.notes.length > 0 && (
        <ul class="approval-notes">
          {card.notes.map((note) => (
            <li key={note}>
              <Markdown text={note} />
            </li>
          ))}
        </ul>
      )}
      {body.trim() !== '' && (
        <div class="approval-body">
          <Markdown text={body} />
        </div>
      )}
      {card.reason !== undefined && card.reason !== '' && (
        <div class="approval-reason">
          <span>{words.asks}</span> <Markdown text={card.reason} />
        </div>
      )}
    </>
  );
}

/** The changes of files are shown beside each other instead. */
function withoutChanges(body: string): string {
  return body.replaceAll(/^(`{3,}|~{3,})diff\n[\s\S]*?^\1$(?:\n\n[^\n]*$)?/gm, '');
}

function Files({ card, onShowFiles }: Pick<ApprovalCardProps, 'card' | 'onShowFiles'>) {
  const words = say(approvalWords);
  return (
    <>
      {card.files.map(({ path, before, after, isCut }, index) =>
        isCut ? (
          <p key={index} class="approval-cut">
            {words.file({ path })}{' '}
            {onShowFiles !== undefined && <Button onPress={onShowFiles}>{words.showChange}</Button>}
          </p>
        ) : (
          <Diff key={index} path={path} before={before} after={after} />
        ),
      )}
    </>
  );
}

/** All arguments. They are open where nothing else says them. */
function Everything({ card }: { readonly card: WaitingCard }) {
  const words = say(approvalWords);
  const { calls, files, body } = card;
  if (calls.length === 0) return null;
  return (
    <details class="approval-everything" open={files.length === 0 && body === ''}>
      <summary>{words.everything({ count: calls.length })}</summary>
      {calls.map((call, index) => (
        <div key={index} class="approval-call">
          {calls.length > 1 && <h3>{words.callNumber({ number: index + 1, tool: call.tool })}</h3>}
          <Values of={call.arguments} />
        </div>
      ))}
    </details>
  );
}

type ActionsProps = Required<Pick<ApprovalCardProps, 'card' | 'onDecide' | 'isBusy' | 'settled'>> &
  Pick<ApprovalCardProps, 'onOffer'>;

/** The buttons, and the text that some of them take. */
function Actions({ card, onDecide, isBusy, settled, onOffer }: ActionsProps) {
  const words = say(approvalWords);
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place, settled);
  const [asking, ask] = useState<WaitingChoice>();
  const isHeld = !isSeen || isBusy;
  const press = (choice: WaitingChoice): void => {
    if (choice.asks === undefined) onDecide(choice.id, '');
    else ask(choice);
  };
  return (
    <div ref={place} class="approval-actions" data-seen={isSeen}>
      {asking === undefined ? (
        <>
          {card.takesText && (
            <Worded
              label={words.answer}
              action={words.sendAnswer}
              isHeld={isHeld}
              onSend={(text) => onDecide(inWords, text)}
            />
          )}
          <div class="approval-buttons">
            {card.choices.map((choice) => (
              <Held key={choice.id} choice={choice} isHeld={isHeld} onPress={() => press(choice)} />
            ))}
            <Offer offer={card.offer} onOffer={onOffer} />
          </div>
        </>
      ) : (
        <Worded
          label={words.reason}
          action={withoutSign(asking.label)}
          isHeld={isHeld}
          isFocused
          onSend={(text) => onDecide(asking.id, text)}
          onCancel={() => ask(undefined)}
        />
      )}
    </div>
  );
}

/** It only asks: nothing is allowed by this press. */
function Offer({ offer, onOffer }: { readonly offer: CardOffer | undefined } & Pick<ApprovalCardProps, 'onOffer'>) {
  if (offer === undefined || onOffer === undefined) return null;
  return <Button onPress={() => onOffer(offer)}>{withoutSign(offer.label)}</Button>;
}

interface HeldProps {
  readonly choice: WaitingChoice;
  readonly isHeld: boolean;
  readonly onPress: () => void;
}

/** A button that keeps the focus while it does nothing yet. */
function Held({ choice, isHeld, onPress }: HeldProps): ComponentChildren {
  const icon = iconOf(choice);
  return (
    <button
      type="button"
      class={`button button-${choice.style}`}
      data-choice={choice.id}
      aria-disabled={isHeld}
      title={isHeld ? say(approvalWords).look : undefined}
      onClick={() => {
        if (!isHeld) onPress();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {withoutSign(choice.label)}
    </button>
  );
}

/** What lets it run and what does not are told apart without their colours. */
function iconOf({ id, isYes }: WaitingChoice): IconName | undefined {
  if (isYes) return 'check';
  return id.endsWith(':d') ? 'close' : undefined;
}

interface WordedProps {
  readonly label: string;
  readonly action: string;
  readonly isHeld: boolean;
  readonly isFocused?: boolean;
  readonly onSend: (text: string) => void;
  readonly onCancel?: () => void;
}

/** A text to write. */
function Worded({ label, action, isHeld, isFocused = false, onSend, onCancel }: WordedProps) {
  const [text, write] = useState('');
  return (
    <form
      class="approval-worded"
      ref={(form) => {
        if (isFocused && form !== null && !form.contains(document.activeElement))
          form.querySelector('textarea')?.focus();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isHeld && text.trim() !== '') onSend(text);
      }}
    >
      <TextField label={label} rows={2} value={text} onInput={write} />
      <div class="approval-buttons">
        <Button type="submit" style="primary" isDisabled={text.trim() === ''}>
          {action}
        </Button>
        {onCancel !== undefined && <Button onPress={onCancel}>{say(approvalWords).cancel}</Button>}
      </div>
    </form>
  );
}
