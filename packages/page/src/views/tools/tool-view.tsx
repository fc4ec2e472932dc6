import type { ToolDetails } from '../../../../../src/features/page/wire/tools.ts';
import { Badge } from '../../components/badge.tsx';
import { Skeleton } from '../../components/empty.tsx';
import { Fault } from '../../components/notice.tsx';
import { indentedJson } from '../../lib/indented-json.ts';
import { say } from '../../lib/language.ts';
import { followLink, query } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { useSubtitle } from '../../lib/title.ts';
import { ToolForm } from './tool-form.tsx';
import { toolsWords } from './words.ts';

export const permissionKinds = { asks: 'warning', never: 'good', off: 'plain' } as const;

/** One tool: what it is, whether it asks and why, and a form to call it. */
export function ToolView({ name }: { readonly name: string }) {
  const words = say(toolsWords);
  useSubtitle(name);
  const search = query.value.toString();
  const { data, error, again } = useAsked<ToolDetails>(`tools/${encodeURIComponent(name)}?${search}`, ['settings']);
  return (
    <div class="tools">
      <p>
        <a href={`/tools${search === '' ? '' : `?${search}`}`} onClick={followLink}>
          ← {words.back}
        </a>
      </p>
      <h1>{name}</h1>
      {error !== undefined && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton lines={6} />}
      {data !== undefined && <Details tool={data} />}
    </div>
  );
}

function Details({ tool }: { readonly tool: ToolDetails }) {
  const words = say(toolsWords);
  const { title, name, description, source, categoryName, permission, reason, parameters } = tool;
  return (
    <>
      <div class="tools-facts">
        <Badge kind={permissionKinds[permission]}>{words[permission]}</Badge>
        {title !== name && <span>{title}</span>}
        <span>
          {words.source}: {source}
        </span>
        <span>
          {words.category}: {categoryName}
        </span>
      </div>
      <p>
        {permission === 'asks'
          ? words.asksBecause({ reason: reason ?? '' })
          : permission === 'never'
            ? words.neverAsks
            : words.off}
      </p>
      <p class="tools-hint">{words.modelReads}</p>
      <p class="tools-description">{description}</p>
      <ToolForm key={name} tool={tool} />
      <details class="tools-schema">
        <summary>{words.schema}</summary>
        <pre>{indentedJson(parameters)}</pre>
      </details>
    </>
  );
}
