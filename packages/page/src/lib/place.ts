import { computed, signal } from '@preact/signals';

/*
 * Where the person is, in the address: `/chat/ID`, `/activity?tool=shell`. Each place can be linked to, and the browser's
 * own buttons work.
 */

const address = signal(new URL(location.href));

/** Follows the browser's own buttons. Called once. */
export function followHistory(): void {
  addEventListener('popstate', () => {
    address.value = new URL(location.href);
  });
}

/** The segments of the path: the first names the view. */
export const segments = computed(() => address.value.pathname.split('/').filter(Boolean).map(decoded));

export const query = computed(() => address.value.searchParams);

/** What stands behind `#`, decoded: a place within the view. */
export const mark = computed(() => decoded(address.value.hash.slice(1)));

/** Goes to a path of the page: `/activity/k3f9`. `replace`: without a step in the browser's history. */
export function goTo(path: string, how: { readonly replace?: boolean } = {}): void {
  if (how.replace === true) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  address.value = new URL(location.href);
}

/** For links of the page: goes there without loading it again. Other windows and tabs are the browser's business. */
export function followLink(event: MouseEvent): void {
  const link = event.currentTarget;
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!(link instanceof HTMLAnchorElement) || !isPlain || event.defaultPrevented) return;
  event.preventDefault();
  goTo(link.pathname + link.search + link.hash);
}

/** As it stands, if somebody has typed what is no encoding. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
