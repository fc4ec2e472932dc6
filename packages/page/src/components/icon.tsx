/* A few pictures, drawn with the colour of the text beside them. What they mean is said by that text, or by a button's name. */

export type IconName =
  | 'chat'
  | 'waiting'
  | 'activity'
  | 'tools'
  | 'people'
  | 'settings'
  | 'person'
  | 'close'
  | 'check'
  | 'copy'
  | 'more'
  | 'down'
  | 'up'
  | 'back'
  | 'plus'
  | 'search'
  | 'send'
  | 'stop'
  | 'again'
  | 'attach'
  | 'file'
  | 'download'
  | 'warning'
  | 'trash'
  | 'edit'
  | 'link'
  | 'out';

/** Each is a path in a square of 24. */
const paths: Readonly<Record<IconName, string>> = {
  chat: 'M4 5h16v11H9l-5 4z',
  waiting: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4v5l3 3',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  tools: 'M14 6a4 4 0 0 1 5-3l-2.500 2.500 2 2L21 5a4 4 0 0 1-5 5L7 19a2 2 0 0 1-3-3l9-8',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-6 9c0-4 3-6 6-6s6 2 6 6m1-17a4 4 0 0 1 0 8m2 3c2 1 3 3 3 6',
  settings: 'M4 6h10m4 0h2M4 12h2m4 0h10M4 18h8m4 0h4M16 4v4M8 10v4m6 2v4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9c0-5 4-7 8-7s8 2 8 7',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 13l5 5L20 7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  back: 'M15 5l-7 7 7 7',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12l5 5',
  send: 'M12 19V5m-6 6l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  again: 'M20 12a8 8 0 1 1-3-6l3 3m0-5v5h-5',
  attach: 'M20 11l-8 8a5 5 0 0 1-7-7l8-8a3.500 3.500 0 0 1 5 5l-8 8a2 2 0 0 1-3-3l7-7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  download: 'M12 4v11m-5-5l5 5 5-5M5 20h14',
  warning: 'M12 4l9 16H3zm0 6v4m0 3v.01',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  out: 'M10 4H5v16h5m5-12l4 4-4 4m4-4H9',
};

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
