import { describe, expect, test } from 'vitest';
import { directNetwork } from '../../src/lib/network/network.ts';
import { type SpeechDescription, SpeechError, speak } from '../../src/models/speaker.ts';
import { audioWords } from '../../src/models/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { speaks, speechServer } from './speech-server.ts';
import { replies } from './transcription-server.ts';

const server = 'speech';
const say = audioWords.en;
const never = new AbortController().signal;

function spoken(url: string, more: Partial<SpeechDescription> = {}, clock = new ManualClock(), signal = never) {
  const description = {
    ...{ baseUrl: `${url}/v1/`, name: 'tts-1', apiKey: 'secret-key-1', voice: 'alloy', format: 'opus' },
    ...{ longest: 4000, timeout: 60_000, ...more },
  };
  return speak('你好, Ada', { description, clock, network: directNetwork }, signal);
}

describe('a text', () => {
  test('is sent with model, voice and format, and comes back as a recording', async () => {
    const { url, received } = await speechServer(speaks());
    expect(await spoken(url)).toMatchObject({ mediaType: 'audio/ogg', extension: 'ogg' });
    expect(received).toEqual([
      {
        path: '/v1/audio/speech',
        authorization: 'Bearer secret-key-1',
        body: { model: 'tts-1', voice: 'alloy', input: '你好, Ada', response_format: 'opus' },
      },
    ]);
  });

  test.each([
    ['OggS', 'audio/ogg', 'ogg'],
    ['ID3', 'audio/mpeg', 'mp3'],
    ['\xff\xfb\x90', 'audio/mpeg', 'mp3'],
    ['\xff\xf3\x90', 'audio/mpeg', 'mp3'],
    ['\xff\xf1\x50', 'audio/aac', 'aac'],
    ['fLaC', 'audio/flac', 'flac'],
    ['RIFF\0\0\0\0WAVE', 'audio/wav', 'wav'],
    ['\0\0\0 ftypM4A', 'audio/mp4', 'm4a'],
  ])('that comes back as %j is %s, whatever was asked for', async (start, mediaType, extension) => {
    const { url } = await speechServer(speaks(start));
    expect(await spoken(url)).toMatchObject({ mediaType, extension });
  });

  test('goes without a key to a server that wants none', async () => {
    const { url, received } = await speechServer(speaks());
    await spoken(url, { apiKey: undefined });
    expect(received[0]?.authorization).toBeUndefined();
  });
});

describe('a speech server that fails', () => {
  test.each([429, 500, 503])('with %i is asked once more, a second later', async (status) => {
    const { url, received } = await speechServer(replies(status, 'no'), speaks());
    const clock = new ManualClock();
    const said = spoken(url, {}, clock);
    await clock.passes(1000);
    await said;
    expect(received).toHaveLength(2);
  });

  test.each([
    [replies(401, { error: { message: 'bad key secret-key-1' } }), say.keyRefused({ server })],
    [replies(404, ''), say.unknownModel({ server, name: 'tts-1' })],
    [replies(413, ''), say.tooLarge({ server })],
    [
      replies(400, { error: { message: 'no voice\nfor secret-key-1.' } }),
      say.refused({ server, status: 400, told: 'no voice ⏎ for …' }),
    ],
    [replies(302, ''), say.refused({ server, status: 302, told: '' })],
    [replies(200, { text: 'hello' }), say.foreign({ server })],
    [replies(200, ''), say.foreign({ server })],
  ])('says why, without the key', async (reply, words) => {
    const { url } = await speechServer(reply);
    const error = await spoken(url).catch((cause: unknown) => cause);
    if (!(error instanceof SpeechError)) throw new Error('It did not fail in words.');
    expect(error.message).toBe(words);
    expect(error.message).not.toContain('secret-key-1');
    expect(error.saidIn('zh')).toMatch(/\p{Script=Han}/u);
  });

  test('by silence is given up after its time, and at once with the process', async () => {
    const { url, asked } = await speechServer(() => {});
    const clock = new ManualClock();
    const late = expect(spoken(url, {}, clock)).rejects.toThrow(say.late({ server, seconds: 60 }));
    await asked(1);
    await clock.passes(60_000);
    await late;
    const ending = new AbortController();
    const ended = expect(spoken(url, {}, clock, ending.signal)).rejects.toBe('the end');
    await asked(2);
    ending.abort('the end');
    await ended;
  });

  test('by being away is named', async () => {
    const clock = new ManualClock();
    const said = expect(spoken('http://127.0.0.1:1', {}, clock)).rejects.toThrow(
      say.unreachable({ server, fault: undefined }),
    );
    await clock.passes(1000);
    await said;
  });
});
