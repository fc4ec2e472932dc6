import './search.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Hit, HitPage } from '../../../../../../src/features/page/wire/activity.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Empty, Skeleton } from '../../../components/empty.tsx';
import { TextField } from '../../../components/field.tsx';
import { Fault } from '../../../components/notice.tsx';
import { Time } from '../../../components/time.tsx';
import { AskError, ask } from '../../../lib/ask.ts';
import { placeName } from '../../../lib/channels.ts';
import { say } from '../../../lib/language.ts';
import { followLink, goTo, query } from '../../../lib/place.ts';
import { dateOf } from '../../../lib/time.ts';
import { activityWords } from '../words.ts';

interface Found {
  readonly words: string;
  readonly hits: readonly Hit[];
  readonly next: string | undefined;
  readonly searchedTo: number | undefined;
  readonly isLoading: boolean;
  readonly error: AskError | undefined;
}

const nothing: Found = {
  words: '',
  hits: [],
  next: undefined,
  searchedTo: undefined,
  isLoading: false,
  error: undefined,
};

/** Searches all that was said and done. What is searched for stands in the address. */
export function SearchView() {
  const words = say(activityWords);
  const wanted = query.value.get('q')?.trim() ?? '';
  const typed = useSignal(wanted);
  const found = useSignal(nothing);
  useEffect(() => {
    typed.value = wanted;
    found.value = { ...nothing, words: wanted };
    const leaving = new AbortController();
    if (wanted !== '') void searchOn(found, leaving.signal);
    return () => leaving.abort();
  }, [wanted, typed, found]);
  return (
    <div class="search">
      <search>
        <form
          class="search-form"
          onSubmit={(event) => {
            event.preventDefault();
            goTo(`/activity/search?${new URLSearchParams({ q: typed.value.trim() })}`);
          }}
        >
          <TextField
            label={words.searchFor}
            hint={words.searchHint}
            type="search"
            value={typed.value}
            onInput={(text) => {
              typed.value = text;
            }}
          />
          <Button style="primary" icon="search" type="submit">
            {words.doSearch}
          </Button>
        </form>
      </search>
      {wanted !== '' && <Hits found={found.value} again={() => void searchOn(found, new AbortController().signal)} />}
    </div>
  );
}

/** Gets so many hits as fit on a page, or all that there are. */
async function searchOn(found: { value: Found; peek(): Found }, signal: AbortSignal): Promise<void> {
  const { words } = found.peek();
  const from = found.peek().hits.length;
  found.value = { ...found.peek(), isLoading: true, error: undefined };
  do {
    const { next } = found.peek();
    const path = new URLSearchParams({ q: words, ...(next === undefined ? {} : { before: next }) });
    const page = await ask<HitPage>(`search?${path}`, signal).catch((error: unknown) =>
      error instanceof AskError ? error : new AskError(0, String(error)),
    );
    const known = found.peek();
    if (signal.aborted || known.words !== words) return;
    if (page instanceof AskError) {
      found.value = { ...known, isLoading: false, error: page };
      return;
    }
    const hits = [...known.hits, ...page.hits];
    const isEnough = page.next === undefined || hits.length > from;
    found.value = { ...known, ...page, hits, next: page.next, isLoading: !isEnough };
  } while (found.peek().isLoading);
}

function Hits({ found, again }: { readonly found: Found; readonly again: () => void }) {
  const words = say(activityWords);
  const { hits, next, isLoading, error, searchedTo } = found;
  const isOver = !isLoading && next === undefined && error === undefined;
  return (
    <>
      {error !== undefined && <Fault error={error} again={again} />}
      {isOver && hits.length === 0 && <Empty icon="search" title={words.noHits} />}
      <ol class="search-hits" aria-label={words.hits}>
        {hits.map((hit) => (
          <li key={`${hit.anchor}-${hit.kind}`}>
            <HitRow hit={hit} />
          </li>
        ))}
      </ol>
      {isLoading && <Skeleton lines={2} />}
      <p class="search-state" role="status">
        {isOver && hits.length > 0 && words.searchedAll}
        {!isOver && searchedTo !== undefined && words.searchedTo({ day: dateOf(searchedTo) })}
      </p>
      {!isLoading && next !== undefined && <Button onPress={again}>{words.searchOn}</Button>}
    </>
  );
}

function HitRow({ hit }: { readonly hit: Hit }) {
  const words = say(activityWords);
  const { runId, anchor, kind, at, place, by } = hit;
  const text = <Marked hit={hit} />;
  return (
    <>
      <p class="search-facts">
        <Badge>{words.kinds[kind]}</Badge>
        <span>{by}</span>
        <span>{placeName(place)}</span>
        <Time at={at} />
        {runId === undefined && <span>{words.unread}</span>}
      </p>
      {runId === undefined ? (
        <p class="search-text">{text}</p>
      ) : (
        <a class="search-text" href={`/activity/${runId}#${anchor}`} onClick={followLink}>
          {text}
        </a>
      )}
    </>
  );
}

/** The text with what was found marked. */
function Marked({ hit: { text, found } }: { readonly hit: Hit }) {
  return (
    <>
      {found.map(([from, to], index) => (
        <span key={from}>
          {text.slice(found[index - 1]?.[1] ?? 0, from)}
          <mark>{text.slice(from, to)}</mark>
        </span>
      ))}
      {text.slice(found.at(-1)?.[1] ?? 0)}
    </>
  );
}
