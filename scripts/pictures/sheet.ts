import type { CardPicture, Platform } from './card-scenes.ts';

export const themes = ['light', 'dark'] as const;

export type Theme = (typeof themes)[number];

/** How a platform's cards stand on the sheet. */
export interface Look {
  readonly platform: Platform;
  readonly styles: string;
  /** Of a card, in pixels. */
  readonly width: number;
  readonly columns: number;
  /** Stands where there is no picture. */
  readonly lacking: string;
}

export function widthOfSheet({ width, columns }: Look): number {
  return columns * (width + gap) + gap;
}

const gap = 20;

/** A page with all cards. Its title becomes its height in pixels. */
export function sheetPage(pictures: readonly CardPicture[], look: Look): string {
  const { platform, styles, width, columns, lacking } = look;
  const figures = pictures.map(
    ({ heading, shot }) =>
      `<figure><figcaption>${escaped(heading)}</figcaption>${shot?.html ?? `<p class="lacking">${escaped(lacking)}</p>`}</figure>`,
  );
  const measure =
    '<script>document.title = Math.ceil(document.querySelector("main").getBoundingClientRect().height)</script>';
  return `<!doctype html><meta charset="utf-8"><title></title><style>${styles}
    main { width: ${widthOfSheet(look)}px; padding: ${gap}px; columns: ${columns}; column-gap: ${gap}px }
    figure { margin: 0 0 ${gap}px; width: ${width}px; break-inside: avoid }
    figcaption { font: 600 13px/1.6 'Noto Sans', 'Noto Sans CJK SC', sans-serif; opacity: .6 }
    .lacking { margin: 0; font-size: 13px; opacity: .5 }
    </style><body class="${platform}"><main>${figures.join('\n')}</main>${measure}</body>`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** By the clock of a reader in UTC, of 24 hours. */
export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

export function dayAndTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 10)} ${timeOfDay(at)}`;
}

/** Escaped rows of a difference, with the colours that clients give them. */
export function diffHtml(rows: string): string {
  return rows
    .split('\n')
    .map((row) => `<span class="${kindOf(row)}">${row}</span>`)
    .join('\n');
}

function kindOf(row: string): string {
  if (row.startsWith('+')) return 'plus';
  if (row.startsWith('-')) return 'minus';
  return row.startsWith('@@') ? 'place' : 'same';
}
