import { describe, expect, test } from 'vitest';
import { direct, group, message, parse, wire } from './parsed.ts';

const file = { file_id: 'f1', file_unique_id: 'u1', file_size: 1234 };

describe('a file', () => {
  test('is an event without a text', () => {
    const voice = { ...file, duration: 3, mime_type: 'audio/ogg' };
    expect(message({ voice })).toMatchObject({
      text: '',
      addressed: true,
      messageId: '5',
      attachments: [{ kind: 'voice', handle: 'f1', mediaType: 'audio/ogg', size: 1234 }],
    });
  });

  test('has the caption for a text, without the name that only calls', () => {
    const caption = { caption: '@keybot look', caption_entities: [{ type: 'mention', offset: 0, length: 7 }] };
    const event = message({ chat: group, document: { ...file, file_name: 'a.txt' }, ...caption });
    expect(event).toMatchObject({ text: 'look', addressed: true, attachments: [{ kind: 'file', name: 'a.txt' }] });
  });

  test.each([
    ['audio', 'audio', { mime_type: 'audio/mpeg', file_name: 'song.mp3' }],
    ['video', 'video', { mime_type: 'video/mp4' }],
    ['video_note', 'video', {}],
    ['document', 'file', { mime_type: 'application/pdf', file_name: '../x.pdf' }],
    ['document', 'image', { mime_type: 'image/png', file_name: 'x.png' }],
  ])(
    'that is a %s is of the kind %s',
    (key, kind, more: { readonly mime_type?: string; readonly file_name?: string }) => {
      const { mime_type: mediaType, file_name: name } = more;
      const expected = { kind, handle: 'f1', size: 1234, ...(mediaType && { mediaType }), ...(name && { name }) };
      expect(message({ [key]: { ...file, ...more } }).attachments).toEqual([expected]);
    },
  );

  test('that is an animation is told of once, though Telegram tells of it twice', () => {
    expect(message({ animation: file, document: file }).attachments).toEqual([
      { kind: 'video', handle: 'f1', size: 1234 },
    ]);
  });

  test('whose size or name is odd comes without them', () => {
    const document = { ...file, file_size: -1, file_name: 7 };
    expect(message({ document }).attachments).toEqual([{ kind: 'file', handle: 'f1' }]);
  });

  test('that cannot be read does not cost the text beside it', () => {
    expect(message({ document: { file_id: 7 }, caption: 'what is it?' })).toMatchObject({ text: 'what is it?' });
  });
});

describe('a photo', () => {
  const sizes = [
    { ...file, file_id: 'small', width: 90, height: 60 },
    { file_id: 'large', width: 1280, height: 960 },
    { ...file, file_id: 'middle', width: 320, height: 240 },
  ];

  test('is the largest of its sizes', () => {
    expect(message({ photo: sizes }).attachments).toEqual([
      { kind: 'image', handle: 'large', mediaType: 'image/jpeg' },
    ]);
  });

  test('that lives is a photo', () => {
    const live_photo = { ...file, photo: sizes };
    expect(message({ live_photo }).attachments).toMatchObject([{ kind: 'image', handle: 'large' }]);
  });

  test('without any size is one that cannot be read', () => {
    expect(parse({ update_id: 1, message: wire({ photo: [] }) })).toMatchObject({
      event: { text: '' },
      unreadable: 'picture',
    });
  });
});

describe('what is neither a text nor a file', () => {
  const place = { latitude: 48.1, longitude: 11.5 };

  test.each([
    ['😀', { sticker: { ...file, emoji: '😀' } }],
    ['[sticker]', { sticker: file }],
    ['[location: 48.1, 11.5]', { location: place }],
    ['[live location, now: 48.1, 11.5]', { location: { ...place, live_period: 60 } }],
    [
      '[venue: Café, Main St 1, 48.1, 11.5]',
      { location: place, venue: { location: place, title: 'Café', address: 'Main St 1' } },
    ],
    ['[contact: Bob B, +491]', { contact: { phone_number: '+491', first_name: 'Bob', last_name: 'B' } }],
    ['[poll: Tea? · yes · no]', { poll: { question: 'Tea?', options: [{ text: 'yes' }, { text: 'no' }] } }],
    ['[checklist: Shop · milk]', { checklist: { title: 'Shop', tasks: [{ id: 1, text: 'milk' }] } }],
    ['[dice: 🎲 4]', { dice: { emoji: '🎲', value: 4 } }],
    ['[game: Chess]', { game: { title: 'Chess' } }],
    ['[story]', { story: { chat: direct, id: 1 } }],
    ['[paid media]', { paid_media: { star_count: 1, paid_media: [] } }],
    ['[a message in a form that cannot be read here]', { rich_message: { blocks: [] } }],
  ])('is told of as %j', (text, fields) => {
    const event = message(fields);
    expect(event.text).toBe(text);
    expect(event).not.toHaveProperty('attachments');
  });

  test('is not for us if the platform says it', () => {
    for (const fields of [{ new_chat_title: 'x' }, { pinned_message: wire({}) }, { new_chat_members: [] }])
      expect(parse({ update_id: 1, message: wire(fields) })).toMatchObject({ type: 'ignored' });
  });
});
