import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/index.ts';
import type { Place } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { MOST_EVENTS } from '../events/schemas.ts';

/** The cost of a request beside its events (connection, headers, answer), in events. */
const REQUEST = 8;
/** An event counts as one for so many bytes of its body, so that room for events is room for bytes. */
const MOST_EVENT_BYTES = 800;
/** How large an event is taken to be before its owner has sent one. */
const USUAL_EVENT_BYTES = 250;
/** How large a body is taken to be that does not say it. */
const UNKNOWN_BYTES = 256 * 1024;

/** The cost of a request that waits for room, and the part of its body that the server reads beforehand. */
const WAITING_BYTES = 4 * 1024;
const MOST_READ_BYTES = 64 * 1024;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const LOOKS = 4;
const LOOK_MILLISECONDS = 250;

interface Owner {
  held: number;
  /** Of an event, by the last body that was read. */
  bytes: number;
}

/**
 * The room for events that are being read or stored, by owner. It is asked before a body is read, when only its length
 * is known: to read events that cannot be stored would take the time of others.
 */
export class Admission {
  readonly #room: number;
  readonly #owners = new Map<string, Owner>();
  /** When each request came that is under way, the oldest first. */
  readonly #since = new Map<Place, Instant>();
  readonly #pause: () => Promise<unknown>;
  #held = 0;
  /** Bytes of requests that wait for room. */
  #waiting = 0;

  /** @param room in events; one owner alone gets half of it @param pause between two looks for room */
  constructor(room = 40_000, pause: () => Promise<unknown> = () => sleep(LOOK_MILLISECONDS)) {
    this.#room = room;
    this.#pause = pause;
  }

  /**
   * Gives a place, or looks for room again for a second before it gives up: a refusal costs half of what an event
   * costs, so one who does not heed `Retry-After` must not have refusals as fast as they can be sent.
   * @param bytes of the body; null where it does not say
   * @returns the place, at once if there is room; else a promise, of null if there was none in time
   */
  admit(owner: string, bytes: number | null, now: Instant): Place | Promise<Place | null> {
    return this.enter(owner, bytes, now) ?? this.#admitLater(owner, bytes, now);
  }

  async #admitLater(owner: string, bytes: number | null, now: Instant): Promise<Place | null> {
    const cost = WAITING_BYTES + Math.min(bytes ?? MOST_READ_BYTES, MOST_READ_BYTES);
    for (let look = 0; look < LOOKS && this.#waiting + cost <= MOST_WAITING_BYTES; look += 1) {
      this.#waiting += cost;
      await this.#pause();
      this.#waiting -= cost;
      const place = this.enter(owner, bytes, now);
      if (place !== null) return place;
    }
    return null;
  }

  /** Gives a place if there is room now. */
  enter(owner: string, bytes: number | null, now: Instant): Place | null {
    const known = this.#owners.get(owner) ?? { held: 0, bytes: USUAL_EVENT_BYTES };
    const length = bytes ?? UNKNOWN_BYTES;
    const sizeOf = (events: number): number => REQUEST + Math.ceil(Math.max(1, events, length / MOST_EVENT_BYTES));
    let size = sizeOf(Math.min(length / known.bytes, MOST_EVENTS));
    if (!hasRoom(this.#room, this.#held, known.held, size)) return null;
    this.#owners.set(owner, known);
    const hold = (more: number): void => {
      known.held += more;
      this.#held += more;
    };
    hold(size);
    const place: Place = {
      resize: (events) => {
        if (bytes !== null && events > 0) known.bytes = bytes / events;
        const more = sizeOf(events) - size;
        const isAlone = known.held === size;
        if (more > 0 && !isAlone && !hasRoom(this.#room, this.#held, known.held, more)) return false;
        size += more;
        hold(more);
        return true;
      },
      leave: () => {
        if (!this.#since.delete(place)) return;
        hold(-size);
        if (known.held === 0) this.#owners.delete(owner);
      },
    };
    this.#since.set(place, now);
    return place;
  }

  /** The occupied room, in events; the active requests; the arrival of the oldest of them, null if there is none. */
  get load(): { held: number; requests: number; oldest: Instant | null } {
    const [oldest = null] = this.#since.values();
    return { held: this.#held, requests: this.#since.size, oldest };
  }
}

const admissions = new WeakMap<Database, Admission>();

/** The room of a database in this process. */
export function admissionOf(database: Database): Admission {
  const known = admissions.get(database) ?? new Admission();
  admissions.set(database, known);
  return known;
}

/**
 * An owner may hold as much as is left free: one alone gets half of the room, two get a third each, and so on, and
 * there is always some for another one. Who has nothing may have more than that, or a large body would never be taken.
 */
export const hasRoom = (room: number, held: number, own: number, size: number): boolean =>
  own === 0 ? held < room : own + size <= room - held;
