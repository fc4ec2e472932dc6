import { expect, test } from 'vitest';
import { createAlbums } from '../../../channels/telegram/poll.ts';
import type { InboundMessage } from '../../../src/contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { message } from './parsed.ts';

function piece(id: number, addressed = false): InboundMessage {
  return { ...message({ message_id: id, text: 'x' }), addressed };
}

test('of albums without number, only the newest hundred are remembered', () => {
  const albums = createAlbums(new ManualClock());
  for (let number = 0; number < 120; number += 1) albums.note(`album ${number}`, piece(1, true));
  expect(albums.pieces('album 119', piece(2))).toMatchObject([{ addressed: true }]);
  expect(albums.pieces('album 0', piece(2))).toMatchObject([{ addressed: false }]);
});

test('of an album without end, ten items are brought again, each once', () => {
  const albums = createAlbums(new ManualClock());
  for (const round of [1, 2]) {
    for (let id = 1; id <= 30; id += 1) expect(albums.pieces('a', piece(id * round))).toHaveLength(1);
  }
  albums.note('a', piece(99, true));
  const pieces = albums.pieces('a', piece(99, true));
  expect(new Set(pieces.map(({ key }) => key)).size).toBe(11);
  expect(pieces).toHaveLength(11);
});
