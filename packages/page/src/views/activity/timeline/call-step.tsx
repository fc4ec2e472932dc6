import { useSignal } from '@preact/signals';
import type {
  CallOutput,
  CallRule,
  RuleOfTwo,
  TimelineCall,
} from '../../../../../../src/features/page/wire/activity.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { Copy, copyText } from '../../../components/copy.tsx';
import { Fault } from '../../../components/notice.tsx';
import { AskError, ask } from '../../../lib/ask.ts';
import { say } from '../../../lib/language.ts';
import { followLink } from '../../../lib/place.ts';
import { absolute, dateOf, duration } from '../../../lib/time.ts';
import { RunRow } from '../runs/run-row.tsx';
import { timelineWords } from './words.ts';

interface CallProps {
  readonly call: TimelineCall;
  readonly runId: string;
  readonly currency: string;
}

/** A call: folded, what came of it and why; unfolded, all that is known of it. */
export function CallStep({ call, runId, currency }: CallProps) {
  const words = say(timelineWords);
  const { id, name, category, changedBy, duration: ran, isUnconfined, decision, subRun } = call;
  const facts = [
    ...(category === undefined ? [] : [words.category({ name: category })]),
    ...(changedBy === undefined ? [] : [words.hook({ name: changedBy })]),
    ...(isUnconfined ? [words.unconfined] : []),
    ...(ran === undefined ? [] : [words.ran({ time: duration(ran) })]),
  ];
  return (
    <details class="timeline-call" id={id}>
      <summary>
        <code class="timeline-tool">{name}</code>
        <OutcomeBadge call={call} />
        <span class="timeline-brief">{ruleWords(call.rule)}</span>
      </summary>
      <div class="timeline-open">
        <section>
          <h3>{words.why}</h3>
          <p class="timeline-rule">{ruleWords(call.rule)}</p>
          {decision !== undefined && <Decision decision={decision} />}
          <TwoFacts of={call.ruleOfTwo} />
        </section>
        <p class="timeline-faint">
          {facts.join(' · ')} <code>{id}</code>
          <IconButton
            icon="link"
            name={words.copyLink}
            onPress={() => void copyText(new URL(`/activity/${runId}#${id}`, location.origin).href)}
          />
        </p>
        <Text head={words.arguments} text={call.arguments} />
        {call.output === undefined ? (
          <p class="timeline-faint">{words.noOutput}</p>
        ) : (
          <Output call={call} text={call.output} runId={runId} />
        )}
        {subRun !== undefined && (
          <section>
            <h3>{words.subRun}</h3>
            <div class="timeline-sub-run">
              <RunRow run={subRun} currency={currency} />
            </div>
          </section>
        )}
      </div>
    </details>
  );
}

const kinds: Readonly<Record<string, 'good' | 'danger' | 'warning' | 'accent'>> = {
  success: 'good',
  completed: 'good',
  error: 'danger',
  refused: 'warning',
  denied: 'warning',
  expired: 'warning',
  unknown: 'danger',
  awaiting: 'accent',
  begun: 'accent',
};

function OutcomeBadge({ call: { state, outcome, decision, subRun } }: { readonly call: TimelineCall }) {
  const words: Readonly<Record<string, string>> = say(timelineWords).outcomes;
  const isWorking = state === 'awaiting' && decision?.state !== 'pending' && subRun !== undefined;
  const name = state === 'done' ? (outcome ?? 'success') : isWorking ? 'working' : state;
  return <Badge kind={kinds[name] ?? 'plain'}>{words[name] ?? name}</Badge>;
}

/** The rule that let it run, asked, or refused, in a sentence. */
function ruleWords(rule: CallRule): string {
  const words = say(timelineWords);
  switch (rule.rule) {
    case 'asked': {
      const known: Readonly<Record<string, string>> = words.because;
      const because = rule.because.flatMap((one) => known[one] ?? []);
      return words.asked({ reason: because.length === 0 ? rule.reason : because.join(words.and) });
    }
    case 'refused':
      return words.refused({ said: rule.said });
    case 'invalid':
      return words.invalid({ said: rule.said });
    case 'grant': {
      const { kind, giver, id, createdAt } = rule.grant;
      return words.grants[kind]({ giver: giver.name, id, day: dateOf(createdAt) });
    }
    case 'question':
    case 'unknown':
    case 'policy-off':
    case 'not-dangerous':
    case 'autonomous':
    case 'allow-rule':
    case 'own-words':
      return words.rules[rule.rule];
  }
}

function Decision({ decision }: { readonly decision: NonNullable<TimelineCall['decision']> }) {
  const words = say(timelineWords);
  const { state, decidedBy, decidedAt, askedAt } = decision;
  switch (state) {
    case 'pending':
      return (
        <p>
          {words.pending}{' '}
          <a href="/waiting" onClick={followLink}>
            {words.toWaiting}
          </a>
        </p>
      );
    case 'expired':
      return <p>{words.expired}</p>;
    case 'cancelled':
      return <p>{words.cancelled}</p>;
    case 'approved':
    case 'denied':
    case 'answered': {
      const waited = decidedAt === undefined ? undefined : duration(Math.max(0, decidedAt - askedAt));
      const at = absolute(decidedAt ?? askedAt);
      return <p>{words.decisions[state]({ by: decidedBy?.name ?? '?', at, waited })}</p>;
    }
  }
}

function TwoFacts({ of }: { readonly of: RuleOfTwo }) {
  const words = say(timelineWords);
  const rows = [
    { name: 'untrusted', is: of.untrusted, text: words.untrusted[key(of.untrusted)] },
    { name: 'private', is: of.private, text: words.private[key(of.private)] },
    { name: 'changes', is: of.changes, text: words.changes[of.changes ? 'yes' : 'no'] },
  ];
  return (
    <div class="timeline-two">
      <p title={words.ruleOfTwoHelp}>{words.ruleOfTwo}</p>
      <ul>
        {rows.map(({ name, is, text }) => (
          <li key={name}>
            <Badge kind={is === true ? 'warning' : is === false ? 'good' : 'plain'}>{text}</Badge>
          </li>
        ))}
      </ul>
      {of.sources.length > 0 && (
        <>
          <p>{words.readBefore}</p>
          <ul class="timeline-sources">
            {of.sources.map((source) => (
              <li key={source}>{source}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function key(is: boolean | undefined): 'yes' | 'no' | 'unknown' {
  if (is === undefined) return 'unknown';
  return is ? 'yes' : 'no';
}

function Text({ head, text }: { readonly head: string; readonly text: string }) {
  return (
    <section>
      <div class="timeline-text-head">
        <h3>{head}</h3>
        <Copy text={text} name={say(timelineWords).copyOf({ what: head })} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is long is scrolled by the keyboard, too */}
      <pre class="timeline-pre" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}

interface OutputProps {
  readonly call: TimelineCall;
  readonly text: string;
  readonly runId: string;
}

/** The beginning of a long output, until all of it is asked for. */
function Output({ call, text, runId }: OutputProps) {
  const words = say(timelineWords);
  const whole = useSignal<string | undefined>(undefined);
  const fault = useSignal<AskError | undefined>(undefined);
  const get = () => {
    fault.value = undefined;
    void ask<CallOutput>(`runs/${runId}/output/${call.id}`).then(
      ({ output }) => {
        whole.value = output;
      },
      (error: unknown) => {
        fault.value = error instanceof AskError ? error : new AskError(0, String(error));
      },
    );
  };
  return (
    <>
      <Text head={words.output} text={whole.value ?? text} />
      {fault.value !== undefined && <Fault error={fault.value} again={get} />}
      {call.isOutputCut && whole.value === undefined && <Button onPress={get}>{words.wholeOutput}</Button>}
    </>
  );
}
