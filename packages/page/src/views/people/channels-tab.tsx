import type { ChannelShown, PeopleOverview } from '../../../../../src/features/page/wire/people.ts';
import { Badge } from '../../components/badge.tsx';
import { Empty } from '../../components/empty.tsx';
import { Time } from '../../components/time.tsx';
import { channelTitle } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { peopleWords } from './words.ts';

/** How each channel is, when it last received something, and what was wrong. */
export function ChannelsTab({ overview: { channels, owners } }: { readonly overview: PeopleOverview }) {
  const words = say(peopleWords);
  if (channels.length === 0) return <Empty icon="chat" title={words.channelsEmpty} />;
  return (
    <div class="people-tab">
      <ul class="people-rows" aria-label={words.tabs.channels}>
        {channels.map((channel) => (
          <Channel key={channel.name} channel={channel} />
        ))}
      </ul>
      <section>
        <h2>{words.owners}</h2>
        <ul class="people-plain">
          {owners.map((owner) => (
            <li key={owner}>
              <code>{owner}</code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

const kinds = { connecting: 'warning', connected: 'good', failing: 'danger', dead: 'danger' } as const;

function Channel({ channel }: { readonly channel: ChannelShown }) {
  const words = say(peopleWords);
  const { name, status, since, heardAt, account, reason, retryAt, lastFault } = channel;
  return (
    <li class="people-row">
      <div class="people-row-head">
        <h2>{channelTitle(name)}</h2>
        <Badge kind={kinds[status]}>{words.state[status]}</Badge>
      </div>
      {reason !== undefined && <p class="people-text">{reason}</p>}
      <ul class="people-notes">
        {account !== undefined && <li>{words.account({ account })}</li>}
        <li>
          {words.since} <Time at={since} />
        </li>
        <li>
          {words.heard} <Time at={heardAt} />
        </li>
        {retryAt !== undefined && (
          <li>
            {words.retry} <Time at={retryAt} />
          </li>
        )}
        {lastFault !== undefined && reason === undefined && (
          <li>
            {words.lastFault} (<Time at={lastFault.at} />
            ): {lastFault.reason}
          </li>
        )}
      </ul>
    </li>
  );
}
