import type { ActShown, GroupShown, PeopleOverview } from '../../../../../src/features/page/wire/people.ts';
import { Empty } from '../../components/empty.tsx';
import { Time } from '../../components/time.tsx';
import { channelTitle } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { type Acting, ActingPlace, Acts, useActing } from './acting.tsx';
import { peopleWords } from './words.ts';

/** The groups that owners have chosen for, or have to. */
export function GroupsTab({ overview: { groups } }: { readonly overview: PeopleOverview }) {
  const words = say(peopleWords);
  const acting = useActing();
  return (
    <div class="people-tab">
      <ActingPlace acting={acting} />
      {groups.length === 0 && <Empty icon="people" title={words.groupsEmpty} />}
      <ul class="people-rows" aria-label={words.tabs.groups}>
        {groups.map((group) => (
          <Group key={group.id} group={group} acting={acting} />
        ))}
      </ul>
    </div>
  );
}

function Group({ group, acting }: { readonly group: GroupShown; readonly acting: Acting }) {
  const words = say(peopleWords);
  const { title, channel, choice, isOpen, chosenBy, chosenAt, isInConfig } = group;
  return (
    <li class="people-row">
      <div class="people-row-head">
        <h2>{title}</h2>
      </div>
      <ul class="people-notes">
        <li>{channelTitle(channel)}</li>
        <li>{choice === undefined ? words.notChosen : `${words.choice}: ${words.choices[choice]}`}</li>
        <li>{isOpen ? words.hearsAll : words.hearsKnown}</li>
        {isInConfig && <li>{words.configHolds}</li>}
        {chosenBy !== undefined && <li>{words.chosenBy({ by: chosenBy })}</li>}
        {chosenAt !== undefined && (
          <li>
            <Time at={chosenAt} />
          </li>
        )}
      </ul>
      <Acts acts={actsOf(group)} title={title} acting={acting} />
    </li>
  );
}

function actsOf({ id, title, choice, isOpen }: GroupShown): readonly ActShown[] {
  const words = say(peopleWords);
  const act = (label: string, wish: string): ActShown => ({
    label,
    style: 'plain',
    line: `people group ${id} ${wish}`,
  });
  return [
    ...(choice === 'mentioned' ? [] : [act(words.onlyMentioned, 'mentioned')]),
    ...(choice === 'everything' ? [] : [act(words.toEverything, 'everything')]),
    isOpen ? act(words.hearKnown, 'known') : act(words.hearAll, 'all'),
    ...(choice === 'leave'
      ? []
      : [{ ...act(words.leave, 'leave'), style: 'danger', question: words.askLeave({ title }) } as const]),
  ];
}
