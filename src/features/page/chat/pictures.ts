import { WorkspaceError } from '../../../tools/guard/workspace/workspace-error.ts';
import type { PageAnswer, PageCore } from '../page-route.ts';
import type { SentPicture } from './tables.ts';
import { chatWords } from './words.ts';

/** Larger ones are not shown. In bytes. */
export const largestPicture = 5 * 2 ** 20;

/** These can do nothing but be seen. */
const harmless: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** A picture that a person has sent: where its file is no longer one, nothing. Its bytes say what it is. */
export async function pictureAnswer(
  { conversationId, principal, path }: SentPicture,
  core: PageCore,
): Promise<PageAnswer> {
  const conversation = await core.store.inbox.conversationOf(conversationId);
  if (conversation === undefined) return noPicture;
  const { headLength, mediaTypeOf } = await import('../../../tools/builtin/messages/message-files.ts');
  try {
    const folder = core.workspaceAt(core.workspaceOf(conversation, principal));
    const bytes = await folder.read(path);
    const mediaType = mediaTypeOf('', bytes.subarray(0, headLength));
    if (bytes.length > largestPicture || !harmless.has(mediaType)) return noPicture;
    return { status: 200, picture: { mediaType, bytes: new Uint8Array(bytes) } };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return noPicture;
  }
}

export const noPicture: PageAnswer = { status: 404, refusal: (language) => chatWords[language].noSuchPicture };
