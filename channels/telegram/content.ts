import { z } from 'zod';

/** What is wrong in something that we can do without must not cost the rest of the message. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

const name = lenient(z.string());
const size = lenient(z.int().nonnegative());
const file = z.object({ file_id: z.string().min(1), file_size: size, file_name: name, mime_type: name });
const photo = z.array(z.object({ file_id: z.string().min(1), file_size: size, width: z.number(), height: z.number() }));
const location = z.object({ latitude: z.number(), longitude: z.number(), live_period: lenient(z.number()) });
const option = z.object({ text: z.string() });

/** What a message holds: the same in one that comes in, and in one that is answered. */
export const content = z.object({
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: lenient(photo),
  live_photo: lenient(z.object({ photo: lenient(photo) })),
  document: lenient(file),
  voice: lenient(file),
  audio: lenient(file),
  video: lenient(file),
  video_note: lenient(file),
  animation: lenient(file),
  sticker: lenient(z.object({ emoji: name })),
  location: lenient(location),
  venue: lenient(z.object({ location, title: z.string(), address: z.string() })),
  contact: lenient(z.object({ phone_number: z.string(), first_name: z.string(), last_name: name })),
  poll: lenient(z.object({ question: z.string(), options: z.array(option) })),
  checklist: lenient(z.object({ title: z.string(), tasks: z.array(option) })),
  dice: lenient(z.object({ emoji: z.string(), value: z.number() })),
  game: lenient(z.object({ title: z.string() })),
  story: lenient(z.object({})),
  paid_media: lenient(z.object({})),
  rich_message: lenient(z.object({ blocks: z.unknown() })),
});

export type TelegramContent = z.output<typeof content>;
export type TelegramFile = z.output<typeof file>;
export type TelegramPhoto = z.output<typeof photo>;
