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
export const segments = computed(() => address.value.pathname.split('/').filter(Boolean).map(decodeURIComponent));

export const query = computed(() => address.value.searchParams);

/** Goes to a path of the page: `/activity/k3f9`. `replace`: without a step in the browser's history. */
export function goTo(path: string, how: { readonly replace?: boolean } = {}): void {
  if (how.replace === true) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  address.value = new URL(location.href);
}
