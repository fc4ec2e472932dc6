import { execFileSync, spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';

/** Of a page, whose title is its height in pixels. */
export interface Photograph {
  readonly page: string;
  readonly picture: string;
  readonly width: number;
  /** Pixels of the picture for one of the page. */
  readonly scale: number;
}

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'];

/** By chromium, with few colours. */
export function photograph({ page, picture, width, scale }: Photograph): void {
  const [, height = '800'] = /<title>(\d+)/.exec(chromium(page, [`--window-size=${width},2000`, '--dump-dom'])) ?? [];
  const size = [`--window-size=${width},${height}`, `--force-device-scale-factor=${scale}`];
  chromium(page, [...size, `--screenshot=${picture}`]);
  fewerColours(picture, 48);
}

/** A third of the bytes, if `pngquant` is there. */
export function fewerColours(picture: string, colours: number): void {
  const fewer = `${picture}.few`;
  const given = ['--strip', '--speed', '1', '--output', fewer, '--force', String(colours), picture];
  if (spawnSync('pngquant', given).status === 0) renameSync(fewer, picture);
}

function chromium(page: string, more: readonly string[]): string {
  return execFileSync('chromium', [...flags, ...more, `file://${page}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
