import { useState } from 'preact/hooks';
import type { UndeliveredEntry } from '../../../../../src/features/page/wire/waiting.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Empty } from '../../components/empty.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Time } from '../../components/time.tsx';
import { placeName } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { me } from '../../lib/session.ts';
import { toast } from '../../lib/toasts.ts';
import { command } from './commanding.tsx';
import { waitingWords } from './words.ts';

interface UndeliveredTabProps {
  readonly entries: readonly UndeliveredEntry[];
  readonly again: () => void;
}

/** Messages that did not arrive, with what can be done. */
export function UndeliveredTab({ entries, again }: UndeliveredTabProps) {
  const words = say(waitingWords);
  const [dropping, drop] = useState<UndeliveredEntry>();
  const settle = async (verb: 'retry' | 'drop', { id = '', conversation }: UndeliveredEntry): Promise<void> => {
    // An owner may do it from anywhere, others where they talk.
    const place = me.peek()?.isOwner === true ? undefined : conversation.id;
    const answer = await command({ line: `${verb} ${id}`, conversationId: place });
    if (answer !== undefined && answer.markdown !== '') toast(answer.markdown);
    drop(undefined);
    again();
  };
  if (entries.length === 0) return <Empty icon="check" title={words.delivered} />;
  return (
    <>
      <ul class="waiting-undelivered">
        {entries.map((entry, index) => (
          <li key={entry.id ?? index}>
            <div>
              <strong>
                {words.notDelivered({
                  kind: entry.kind,
                  place: placeName(entry.conversation),
                })}
              </strong>{' '}
              <Time at={entry.at} />
            </div>
            <div>{words.fates[entry.fate]}</div>
            {entry.reason !== '' && <div class="waiting-reason">{entry.reason}</div>}
            {entry.id !== undefined && (
              <div class="waiting-buttons">
                <Button style="primary" onPress={() => void settle('retry', entry)}>
                  {words.retry}
                </Button>
                <Button style="danger" onPress={() => drop(entry)}>
                  {words.drop}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {dropping !== undefined && (
        <Confirm
          title={words.drop}
          action={words.drop}
          isDanger
          onConfirm={() => void settle('drop', dropping)}
          onClose={() => drop(undefined)}
        >
          <Markdown text={words.dropText} />
        </Confirm>
      )}
    </>
  );
}
