import { useState } from 'preact/hooks';
import type { GrantEntry, GrantList, RevokeAnswer } from '../../../../../src/features/page/wire/waiting.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Fault, Notice } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { AskError, tell } from '../../lib/ask.ts';
import { placeName } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { useAsked } from '../../lib/query.ts';
import { absolute } from '../../lib/time.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

/** What is allowed for longer than once, with the end of it. */
export function GrantsTab() {
  const words = say(waitingWords);
  const asked = useAsked<GrantList>('grants', ['waiting']);
  const [isAll, confirmAll] = useState(false);
  const { data, error, again } = asked;
  const revoke = async (ids: readonly string[]): Promise<void> => {
    try {
      const { count } = await tell<RevokeAnswer>('grants/revoke', { ids });
      toast(words.revoked({ count }));
    } catch (fault) {
      toast(fault instanceof AskError && fault.status > 0 ? fault.message : words.unreachable, 'fault');
    }
    confirmAll(false);
    again();
  };
  if (error !== undefined) return <Fault error={error} again={again} />;
  if (data === undefined) return <Skeleton />;
  const { grants, isCut } = data;
  if (grants.length === 0)
    return (
      <Empty icon="check" title={words.nothingGranted}>
        {words.nothingGrantedMore}
      </Empty>
    );
  return (
    <>
      <Table
        label={words.tabs.grants}
        columns={columnsOf((id) => void revoke([id]))}
        rows={grants}
        keyOf={({ id }) => id}
      />
      {isCut && <Notice>{words.grantsCut}</Notice>}
      {grants.length > 1 && (
        <div class="waiting-buttons">
          <Button style="danger" onPress={() => confirmAll(true)}>
            {words.revokeAll({ count: grants.length })}
          </Button>
        </div>
      )}
      {isAll && (
        <Confirm
          title={words.revokeAll({ count: grants.length })}
          action={words.revoke}
          isDanger
          onConfirm={() => void revoke(grants.map(({ id }) => id))}
          onClose={() => confirmAll(false)}
        >
          {words.revokeAllText}
        </Confirm>
      )}
    </>
  );
}

function columnsOf(revoke: (id: string) => void): readonly Column<GrantEntry>[] {
  const words = say(waitingWords);
  const nameOf = ({ isReader, name }: GrantEntry['by']): string => (isReader ? words.you : name);
  return [
    { name: 'what', head: words.grantWhat, cell: ({ what }) => <Markdown text={what} />, sortBy: ({ tool }) => tool },
    {
      name: 'for',
      head: words.grantFor,
      cell: ({ requester }) => nameOf(requester),
      sortBy: ({ requester }) => nameOf(requester),
    },
    {
      name: 'where',
      head: words.grantWhere,
      cell: ({ conversation }) => placeName(conversation),
      sortBy: ({ conversation }) => placeName(conversation),
    },
    { name: 'by', head: words.grantBy, cell: ({ by }) => nameOf(by), sortBy: ({ by }) => nameOf(by) },
    {
      name: 'since',
      head: words.grantSince,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
    },
    {
      name: 'until',
      head: words.grantUntil,
      cell: ({ expiresAt }) => (expiresAt === undefined ? words.always : absolute(expiresAt)),
      sortBy: ({ expiresAt }) => expiresAt ?? Number.MAX_SAFE_INTEGER,
    },
    { name: 'uses', head: words.grantUses, isNumber: true, cell: ({ uses }) => uses, sortBy: ({ uses }) => uses },
    {
      name: 'actions',
      head: words.grantActions,
      cell: ({ id }) => <Button onPress={() => revoke(id)}>{words.revoke}</Button>,
    },
  ];
}
