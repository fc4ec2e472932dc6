import { computed, effect, signal } from '@preact/signals';
import { store, stored } from './storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const themeItem = 'keyturn.theme';

/** What the person has chosen in this browser. */
export const theme = signal<Theme>(readTheme(stored(themeItem)));

const systemIsDark = signal(matchMedia('(prefers-color-scheme: dark)').matches);

/** Whether the page is dark now: for what is not drawn by style sheets. */
export const isDark = computed(() => (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'));

/** Draws in the chosen colours, and follows the system where it is meant to. Called once. */
export function followTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    systemIsDark.value = matches;
  });
  effect(() => {
    document.documentElement.style.colorScheme = theme.value === 'system' ? 'light dark' : theme.value;
    store(themeItem, theme.value === 'system' ? undefined : theme.value);
  });
}

function readTheme(text: string | undefined): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}
