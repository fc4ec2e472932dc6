import type { ComponentType } from 'preact';
import type { ViewName } from './words.ts';

/** A part of the page with a place of its own, loaded when it is first visited. */
export interface View {
  /** The first segment of its path. */
  readonly name: ViewName;
  readonly forOwners?: true;
  readonly load: () => Promise<ComponentType>;
}

export const views: readonly View[] = [
  { name: 'chat', load: async () => (await import('./chat/chat-view.tsx')).ChatView },
  { name: 'waiting', load: async () => (await import('./waiting/waiting-view.tsx')).WaitingView },
  { name: 'activity', load: async () => (await import('./activity/activity-view.tsx')).ActivityView },
  { name: 'tools', load: async () => (await import('./tools/tools-view.tsx')).ToolsView },
  { name: 'people', load: async () => (await import('./people/people-view.tsx')).PeopleView },
  { name: 'settings', forOwners: true, load: async () => (await import('./settings/settings-view.tsx')).SettingsView },
];

/** The view of this name; the first if there is no name. Undefined: there is none. */
export function viewNamed(name: string | undefined): View | undefined {
  return name === undefined ? views[0] : views.find((view) => view.name === name);
}
