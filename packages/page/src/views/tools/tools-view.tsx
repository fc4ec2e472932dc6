import { useState } from 'preact/hooks';
import type { ConversationList } from '../../../../../src/features/page/wire/chat.ts';
import type { ToolShown, ToolsShown } from '../../../../../src/features/page/wire/tools.ts';
import './tools.css';
import { Badge } from '../../components/badge.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { Fault } from '../../components/notice.tsx';
import { say } from '../../lib/language.ts';
import { followLink, goTo, query, segments } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { viewWords } from '../words.ts';
import { permissionKinds, ToolView } from './tool-view.tsx';
import { toolsWords } from './words.ts';

/** All tools, or one of them. */
export function ToolsView() {
  const [, name] = segments.value;
  return name === undefined ? <ToolList /> : <ToolView key={name} name={name} />;
}

function ToolList() {
  const words = say(toolsWords);
  const [search, setSearch] = useState('');
  const conversation = query.value.get('conversation') ?? '';
  const asked = conversation === '' ? '' : `conversation=${encodeURIComponent(conversation)}`;
  const { data, error, again } = useAsked<ToolsShown>(`tools?${asked}`, ['settings']);
  const found = data?.tools.filter((tool) => fits(tool, search)) ?? [];
  return (
    <div class="tools">
      <h1>{say(viewWords).tools}</h1>
      <div class="tools-choices">
        <TextField label={words.search} type="search" value={search} onInput={setSearch} />
        <ConversationChoice chosen={conversation} />
      </div>
      <p class="tools-hint">{words.listHint}</p>
      {error !== undefined && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton lines={10} />}
      {data !== undefined && found.length === 0 && <Empty icon="tools" title={words.none} />}
      {[...Map.groupBy(found, ({ source }) => source)].map(([source, tools]) => (
        <section key={source}>
          <h2>
            {source} <span class="tools-count">{words.count({ count: tools.length })}</span>
          </h2>
          <ul class="tools-rows">
            {tools.map((tool) => (
              <Row key={tool.name} tool={tool} asked={asked} />
            ))}
          </ul>
        </section>
      ))}
      {data !== undefined && data.off.length > 0 && search === '' && (
        <section>
          <h2>{words.offTitle}</h2>
          <p class="tools-hint">{words.offText}</p>
          <p class="tools-off">
            {data.off.map((name) => (
              <code key={name}>{name}</code>
            ))}
          </p>
        </section>
      )}
    </div>
  );
}

function fits({ name, title, description, categoryName }: ToolShown, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${name} ${title} ${categoryName} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function ConversationChoice({ chosen }: { readonly chosen: string }) {
  const words = say(toolsWords);
  const { data } = useAsked<ConversationList>('conversations');
  const known = (data?.conversations ?? []).map(({ id, title, channel }) => ({
    value: id,
    label: `${channel}: ${title ?? id}`,
  }));
  return (
    <Select
      label={words.where}
      value={chosen}
      options={[{ value: '', label: words.nowhere }, ...known]}
      onChoose={(id) => goTo(id === '' ? '/tools' : `/tools?conversation=${encodeURIComponent(id)}`, { replace: true })}
    />
  );
}

function Row({ tool, asked }: { readonly tool: ToolShown; readonly asked: string }) {
  const words = say(toolsWords);
  const { name, description, permission, reason, categoryName } = tool;
  return (
    <li>
      <a
        class="tools-row"
        href={`/tools/${encodeURIComponent(name)}${asked === '' ? '' : `?${asked}`}`}
        onClick={followLink}
      >
        <span class="tools-row-head">
          <code>{name}</code>
          <Badge kind={permissionKinds[permission]}>{words[permission]}</Badge>
          <span class="tools-hint">{reason ?? categoryName}</span>
        </span>
        <span class="tools-brief">{description}</span>
      </a>
    </li>
  );
}
