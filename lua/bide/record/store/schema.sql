-- The store of waits in PostgreSQL 13 or later: tables, roles and functions of the schema bide.
--
-- `bide store init` runs this text in one transaction; `bide store init --print` prints it for an administrator.
-- Every time is a bigint, microseconds since 1970 by the clock of the store.
--
-- No role but bide_owner reads or writes a table. The others call functions, which run as bide_owner and check the rights
-- of session_user themselves. The functions contain no statement made of text, but for the partitions of `attempt`, whose
-- names and bounds are numbers that they compute.
--
-- Locks are taken in one order: the grant of a queue, worker, run (by id), turn (by id); those of waits only below the
-- lock of their turn or of their run. Each statement that writes several turns first locks them in a MATERIALIZED part with
-- ORDER BY id; `settle` writes them in that order at once; what does not keep the order uses SKIP LOCKED, and so never waits.
--
-- States of errors: BD001 the worker is unknown or expired; BD002 the right is missing; BD003 a quota is reached; BD004 the
-- submit token belongs to another request; BD005 what was submitted is wrong; BD006 there is no such run or row;
-- BD007 the worker has claimed no such turn, or does not have it any more.

-- Functions that others have made in a schema that is searched would run here with all rights.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $roles$
DECLARE
  name text;
  -- Since version 16, who makes a role is a member of it that may not act as it.
  right_ text := CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the database has the encoding %, and a store needs UTF8: createdb --template template0 --encoding UTF8 NAME',
      getdatabaseencoding() USING ERRCODE = 'BD005';
  END IF;
  FOREACH name IN ARRAY ARRAY['bide_owner', 'bide_submit', 'bide_worker', 'bide_watch'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
  -- A superuser may act as every role; anybody else has to be a member of the owner.
  IF NOT pg_has_role(current_user, 'bide_owner', right_) THEN
    EXECUTE format('GRANT bide_owner TO %I', current_user);
  END IF;
END
$roles$;

CREATE SCHEMA bide AUTHORIZATION bide_owner;
SET LOCAL ROLE bide_owner;

-- ---- tables ------------------------------------------------------------------------------------

CREATE TABLE bide.meta (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  version       int NOT NULL,             -- of this schema
  reads_from    int NOT NULL,             -- the oldest version for which a program may be made that uses this schema
  writes_format smallint NOT NULL,        -- of new states
  cell          int NOT NULL CHECK (cell BETWEEN 0 AND 1023),
  timeline      text NOT NULL,            -- as bide.timeline() was when numbers were drawn last
  maintained    bigint NOT NULL DEFAULT 0 -- when maintain() last began
);

CREATE TABLE bide.setting (name text PRIMARY KEY, value bigint NOT NULL CHECK (value > 0));

CREATE TABLE bide.queue (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);

CREATE TABLE bide.queue_grant (
  role             name NOT NULL,
  queue            int NOT NULL REFERENCES bide.queue ON DELETE CASCADE,
  may_submit       boolean NOT NULL DEFAULT false,
  may_work         boolean NOT NULL DEFAULT false,
  most_open        bigint CHECK (most_open > 0),       -- open waits; NULL: as the setting says
  submits_a_minute int CHECK (submits_a_minute > 0),   -- NULL: any number
  most_kept        bigint CHECK (most_kept > 0),       -- bytes of recipes and options of the role; the least of its queues counts
  PRIMARY KEY (role, queue)
);

-- Each owner has bundles of its own, so that nobody's signature stands for the waits of another, and a worker that refuses
-- those of one owner takes those of others. So has each signer of an owner: a wait keeps the signature that it came with, and
-- a worker that refuses one signer, or a bundle that nobody has signed, takes those of others.
CREATE TABLE bide.bundle (
  id        int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner     name NOT NULL,
  digest    bytea NOT NULL,        -- SHA-256 of the manifest
  manifest  text NOT NULL,
  files     bytea NOT NULL,
  signature text,
  signer    bytea NOT NULL DEFAULT '', -- what distinguishes the keys of signatures; '' without one
  made      bigint NOT NULL,       -- when it was last submitted
  bytes     bigint NOT NULL,       -- with its definitions, and 256 for each row
  UNIQUE (owner, digest, signer)
);

CREATE TABLE bide.definition (
  id     int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  bundle int NOT NULL REFERENCES bide.bundle,
  waiter text NOT NULL,
  body   text NOT NULL,            -- JSON: conditions, limits and delays of the command line
  digest bytea NOT NULL UNIQUE,
  used   bigint NOT NULL,          -- until then it is needed for certain
  bytes  bigint NOT NULL GENERATED ALWAYS AS (256 + octet_length(waiter) + octet_length(body)) STORED
);
CREATE INDEX definition_bundle ON bide.definition (bundle);

CREATE SEQUENCE bide.run_id MAXVALUE 8796093022207;
CREATE SEQUENCE bide.wait_id MAXVALUE 8796093022207;

CREATE TABLE bide.run (
  id            bigint PRIMARY KEY, -- cell × 2^43 + a number of the sequence
  owner         name NOT NULL,
  queue         int NOT NULL REFERENCES bide.queue, -- which is not removed while it has runs: nobody would find them
  lane          smallint NOT NULL,
  rule          text NOT NULL CHECK (rule IN ('stop', 'go')), -- whether the others continue after a deciding failure
  need          int NOT NULL,
  jobs          int,                -- how many waits are open at a time; NULL: all
  opened        int NOT NULL,       -- the last position that got a turn; once decided: the last whose wait may be open
  seed          bigint NOT NULL,
  about         text NOT NULL,      -- JSON, for who watches it
  history       smallint NOT NULL,  -- 0 none; 1 the first 10 entries of a wait, if there are above 1,000 waits; 2 all
  submit_token  text,
  submit_digest bytea,
  waits         int NOT NULL,
  open          int NOT NULL,
  succeeded     int NOT NULL DEFAULT 0,
  failed        int NOT NULL DEFAULT 0,
  cancelled     int NOT NULL DEFAULT 0,
  attempts      int NOT NULL DEFAULT 0, -- the most of a wait that has ended
  began         bigint NOT NULL,
  deadline      bigint NOT NULL,    -- of the last of its waits
  decided       bigint,
  ended         bigint,
  outcome       text CHECK (outcome IN ('success', 'failure')),
  UNIQUE (owner, submit_token)
);
CREATE INDEX run_owner ON bide.run (owner, id);
CREATE INDEX run_ended ON bide.run (ended) WHERE ended IS NOT NULL;
CREATE INDEX run_open ON bide.run (owner, queue) WHERE ended IS NULL;
CREATE INDEX run_decided ON bide.run (decided) WHERE decided IS NOT NULL AND ended IS NULL;

CREATE TABLE bide.wait (
  id         bigint PRIMARY KEY,
  run        bigint NOT NULL,
  position   int NOT NULL,
  branch     text,
  definition int NOT NULL,
  deadline   bigint NOT NULL,
  input      text NOT NULL,         -- JSON, without secrets
  token      text,
  output     text,                  -- JSON, the last that was written
  error      text,                  -- JSON; of a wait with strikes, the list of their reasons
  outcome    text,                  -- JSON: the document, or where no worker wrote one "cancelled" or "maxWait"
  attempts   int,                   -- once it has ended
  rank       int,                   -- 1 for the first wait of the run that ended
  ended      bigint
);
CREATE UNIQUE INDEX wait_position ON bide.wait (run, position);
CREATE INDEX wait_rank ON bide.wait (run, rank) WHERE rank IS NOT NULL;

CREATE TABLE bide.turn (
  id         bigint PRIMARY KEY,    -- of the wait
  due        bigint NOT NULL,
  deadline   bigint NOT NULL,
  worker     bigint,                -- that has claimed it
  next       bigint,                -- when it is due after its release: of a claimed turn, or of one that is set aside
  queue      int NOT NULL,
  bundle     int NOT NULL,
  definition int NOT NULL,
  attempts   int NOT NULL DEFAULT 0,
  lane       smallint NOT NULL DEFAULT 1, -- 1 high, 2 normal, 3 low; 4 more: set aside
  strikes    smallint NOT NULL DEFAULT 0,
  format     smallint NOT NULL,     -- of the state; 0: no attempt was made
  state      bytea NOT NULL
) WITH (fillfactor = 70, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX turn_due ON bide.turn (queue, lane, due) WHERE worker IS NULL;
CREATE INDEX turn_worker ON bide.turn (worker) WHERE worker IS NOT NULL;
CREATE INDEX turn_aside ON bide.turn (queue, bundle, format) WHERE lane > 4;

CREATE TABLE bide.attempt (
  wait    bigint NOT NULL,
  attempt int NOT NULL,
  at      bigint NOT NULL,
  entry   text NOT NULL,            -- JSON
  PRIMARY KEY (wait, attempt, at)
) PARTITION BY RANGE (at);

CREATE TABLE bide.worker (
  id      bigint PRIMARY KEY,       -- 62 random bits: a sequence may go back at a failover
  name    text NOT NULL,
  kind    text NOT NULL CHECK (kind IN ('sandboxed', 'trusted')),
  version text NOT NULL,
  host    text NOT NULL,
  pid     int NOT NULL,
  role    name NOT NULL,
  queues  int[] NOT NULL DEFAULT '{}',
  slots   int NOT NULL,
  formats int[] NOT NULL DEFAULT '{}',
  refused int[] NOT NULL DEFAULT '{}', -- bundles
  held    int NOT NULL DEFAULT 0,
  sum     bigint NOT NULL DEFAULT 0,
  began   bigint NOT NULL,
  lease   bigint NOT NULL           -- until then it lives
) WITH (fillfactor = 50);

-- Waits that were cancelled while a worker held them.
CREATE TABLE bide.told (worker bigint, wait bigint, PRIMARY KEY (worker, wait));

CREATE TABLE bide.aside (queue int, bundle int, format smallint, PRIMARY KEY (queue, bundle, format));

CREATE TABLE bide.pace (
  queue        int NOT NULL,
  host         text NOT NULL,
  gap          bigint NOT NULL,     -- between two requests: the greatest that was named in the last 60 s
  burst        int NOT NULL,
  free         bigint NOT NULL,     -- the time of the next request
  closed_until bigint NOT NULL DEFAULT 0,
  used         bigint NOT NULL,     -- when the gap was named last
  PRIMARY KEY (queue, host)
);

CREATE TABLE bide.request (
  owner      name NOT NULL,
  identity   text NOT NULL,
  token      text NOT NULL,
  parameters text NOT NULL,         -- JSON
  result     text,                  -- JSON; NULL: in progress
  worker     bigint,                -- that makes it, in this attempt
  wait       bigint,
  attempt    int,
  began      bigint NOT NULL,
  ended      bigint,
  retain     bigint,                -- after its end; NULL: without end
  late       bigint,                -- after that, the time for which it is known that there was one
  PRIMARY KEY (owner, identity, token)
);

-- The waits of a transaction that submits them. `definition` is a place in the list that bide.submit is given.
CREATE UNLOGGED TABLE bide.staging (
  position   int NOT NULL,
  definition int NOT NULL,
  branch     text,
  delay      bigint NOT NULL DEFAULT 0,
  max_wait   bigint NOT NULL,
  input      text NOT NULL,
  token      text,
  owner      name NOT NULL DEFAULT session_user,
  xact       xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (vacuum_truncate = off);
-- The table stays as large as the largest submission has made it, whether that was committed or not.
CREATE INDEX staging_xact ON bide.staging (xact);

-- What differs after a failover, a restore to an earlier time, and a restore from a dump: the timeline of the server, the server
-- and the table.
CREATE FUNCTION bide.timeline() RETURNS text LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%s/%s/%s', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), s.system_identifier,
    'bide.meta'::regclass::oid) FROM pg_control_system() s
$$;

INSERT INTO bide.meta (version, reads_from, writes_format, cell, timeline) VALUES (1, 1, 1, 0, bide.timeline());
INSERT INTO bide.setting VALUES ('lease', 10000000), ('ahead', 1000000), ('history', 86400000000),
  ('retain', 2592000000000), ('most_open', 10000000), ('most_kept', 1073741824);
INSERT INTO bide.queue (name) VALUES ('default');

-- ---- parts of the functions below; nobody else may call these --------------------------------------

-- In a WHERE, a volatile function is no condition of an index: read it into a variable first.
-- A session parses a function of PL/pgSQL once, and one of SQL at each call.
CREATE FUNCTION bide.clock() RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
END $$;

CREATE FUNCTION bide.setting_of(name_ text) RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.value FROM bide.setting s WHERE s.name = name_
$$;

-- Keeps a counter of a broken row within its type: a statement that fails would keep all others from their ends.
CREATE FUNCTION bide.bounded(n bigint) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(least(n, 2147483647), -2147483648)::int
$$;

-- The commit waits for the disk, and for the standby that the server waits for.
CREATE FUNCTION bide.commit_safely() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

CREATE FUNCTION bide.partition_of(at_ bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN 'attempt_' || (at_ / 86400000000);
END $$;

-- Makes the partitions of today and of seven days to come, and drops those that ended before `history`. What fails is left for
-- the next time: waits continue without their history, so no lock, trigger or full disk keeps a worker from entering.
CREATE FUNCTION bide.partition() RETURNS void LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  day bigint;
  name text;
BEGIN
  FOR day IN SELECT d FROM generate_series(now_ / 86400000000, now_ / 86400000000 + 7) d
      WHERE to_regclass('bide.' || bide.partition_of(d * 86400000000)) IS NULL LOOP
    name := bide.partition_of(day * 86400000000);
    BEGIN
      PERFORM 1 FROM bide.meta FOR UPDATE;
      CONTINUE WHEN to_regclass('bide.' || name) IS NOT NULL;
      -- Attached rather than made in place: that needs no lock that a settle waits for.
      EXECUTE format('CREATE TABLE bide.%I (LIKE bide.attempt INCLUDING DEFAULTS INCLUDING CONSTRAINTS, CHECK (at >= %s AND at < %s))',
        name, day * 86400000000, (day + 1) * 86400000000);
      EXECUTE format('ALTER TABLE bide.%I ENABLE ROW LEVEL SECURITY', name);
      EXECUTE format('ALTER TABLE bide.attempt ATTACH PARTITION bide.%I FOR VALUES FROM (%s) TO (%s)', name,
        day * 86400000000, (day + 1) * 86400000000);
    EXCEPTION WHEN others THEN
      RAISE WARNING 'the partition % of attempts: %', name, SQLERRM;
      RETURN;
    END;
  END LOOP;
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'bide.attempt'::regclass AND c.relname ~ '^attempt_[0-9]+$'
      AND (substr(c.relname, 9)::bigint + 1) * 86400000000 < now_ - bide.setting_of('history') LOOP
    BEGIN
      EXECUTE format('DROP TABLE bide.%I', name);
    EXCEPTION WHEN others THEN
      RAISE WARNING 'the partition % of attempts: %', name, SQLERRM;
      RETURN;
    END;
  END LOOP;
END $$;

-- Raises if the worker is not one of session_user, or its lease is over.
CREATE FUNCTION bide.assert_worker(me bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.role = session_user AND w.lease > bide.clock();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
END $$;

-- Releases the turns of workers, but for those that are held; none is due before `least_due`. Claims find what is overdue by
-- more than 0.5 s in their sweeps only, so what somebody shall take at once is due now. The caller has locked the workers.
-- What is held is looked up in a hash: `<> ALL` would compare all of it with each turn.
CREATE FUNCTION bide.release(workers bigint[], held bigint[], least_due bigint) RETURNS int LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  released int;
BEGIN
  WITH l AS MATERIALIZED (
    SELECT t.id FROM bide.turn t WHERE t.worker = ANY (workers) AND t.id NOT IN (SELECT unnest(held))
      ORDER BY t.id FOR UPDATE)
  UPDATE bide.turn t SET worker = NULL, due = greatest(coalesce(t.next, t.due), least_due), next = NULL
    FROM l WHERE t.id = l.id AND t.worker = ANY (workers);
  GET DIAGNOSTICS released = ROW_COUNT;
  RETURN released;
END $$;

-- After waits of these runs have ended: decides runs, and opens the next waits of those that open them in turn; after the
-- deadline of the run many at once, which then end. The caller has locked the runs, and counted how many waits of each have
-- ended. Returns whether waits were opened.
CREATE FUNCTION bide.follow_up(runs bigint[], ends int[], now_ bigint) RETURNS boolean LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE bide.run r SET decided = now_, outcome = CASE WHEN r.succeeded >= r.need THEN 'success' ELSE 'failure' END,
      opened = r.waits, ended = CASE WHEN r.open = 0 THEN now_ END
    WHERE r.id = ANY (runs) AND r.decided IS NULL
      AND (r.open = 0 OR r.succeeded >= r.need OR r.rule = 'stop' AND r.waits::bigint - r.failed - r.cancelled < r.need);
  WITH o AS MATERIALIZED (
    SELECT r.id, r.queue, r.lane, r.opened,
        least(r.opened::bigint + CASE WHEN r.deadline <= now_ THEN greatest(u.ended, 500) ELSE u.ended END, r.waits)::int AS last
      FROM unnest(runs, ends) u(run, ended) JOIN bide.run r ON r.id = u.run
      WHERE r.decided IS NULL AND r.opened < r.waits),
  t AS (
    INSERT INTO bide.turn (id, due, deadline, queue, bundle, definition, lane, format, state)
      SELECT w.id, least(now_, w.deadline), w.deadline, o.queue, d.bundle, w.definition, o.lane, 0, ''
        FROM o JOIN bide.wait w ON w.run = o.id AND w.position > o.opened AND w.position <= o.last
        JOIN bide.definition d ON d.id = w.definition)
  UPDATE bide.run r SET opened = o.last FROM o WHERE r.id = o.id;
  RETURN FOUND;
END $$;

-- Deletes a run that has ended, 5,000 of its waits at a time. Returns whether it is gone.
CREATE FUNCTION bide.forget(run_ bigint) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM bide.wait w WHERE w.id IN (SELECT x.id FROM bide.wait x WHERE x.run = run_ ORDER BY x.position LIMIT 5000);
  IF EXISTS (SELECT FROM bide.wait w WHERE w.run = run_) THEN
    RETURN false;
  END IF;
  DELETE FROM bide.run r WHERE r.id = run_;
  RETURN true;
END $$;

-- ---- for everybody with a role -----------------------------------------------------------------------

CREATE FUNCTION bide.about() RETURNS TABLE (version int, reads_from int, writes_format smallint, clock bigint, lease bigint,
  ahead bigint, cell int) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT m.version, m.reads_from, m.writes_format, bide.clock(), bide.setting_of('lease'),
    least(bide.setting_of('ahead'), bide.setting_of('lease') / 2), m.cell FROM bide.meta m
$$;

-- How late the first turn of a queue is that is due, in seconds; 0 if none is late.
CREATE FUNCTION bide.lag(queue_ text) RETURNS double precision LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  q int := (SELECT q.id FROM bide.queue q JOIN bide.queue_grant g ON g.queue = q.id AND g.role = session_user
    WHERE q.name = queue_);
  first bigint;
BEGIN
  IF q IS NULL THEN
    RAISE EXCEPTION 'the role % has no right on a queue %', session_user, queue_ USING ERRCODE = 'BD002';
  END IF;
  SELECT min(x.due) INTO first FROM unnest(ARRAY[1, 2, 3]::smallint[]) l(lane) CROSS JOIN LATERAL
    (SELECT t.due FROM bide.turn t WHERE t.queue = q AND t.lane = l.lane AND t.worker IS NULL ORDER BY t.due LIMIT 1) x;
  RETURN greatest(0, coalesce(bide.clock() - first, 0)) / 1e6;
END $$;

-- ---- what workers call ----------------------------------------------------------------------------

CREATE FUNCTION bide.enter(name_ text, kind_ text, version_ text, host_ text, pid_ int, queues_ text[], slots_ int,
  formats_ int[]) RETURNS TABLE (id bigint, clock bigint, lease bigint, queues int[]) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint;
  random text := replace(gen_random_uuid()::text, '-', '');
  me bigint := ('x' || left(random, 8) || right(random, 8))::bit(64)::bigint & 4611686018427387903;
  found_ int[];
  lease_ bigint := bide.setting_of('lease');
BEGIN
  SELECT array_agg(q.id ORDER BY n.nth) INTO found_ FROM unnest(queues_) WITH ORDINALITY n(name, nth)
    JOIN bide.queue q ON q.name = n.name
    JOIN bide.queue_grant g ON g.queue = q.id AND g.role = session_user AND g.may_work;
  IF cardinality(queues_) = 0 THEN
    RAISE EXCEPTION 'a worker needs a queue' USING ERRCODE = 'BD005';
  ELSIF octet_length(concat(name_, version_, host_)) > 1024 OR cardinality(queues_) > 1000 OR cardinality(formats_) > 100 THEN
    RAISE EXCEPTION 'what a worker says of itself is too long' USING ERRCODE = 'BD005';
  ELSIF found_ IS NULL OR cardinality(found_) <> cardinality(queues_) THEN
    RAISE EXCEPTION 'the role % may not work in the queue %', session_user, (SELECT string_agg(n, ', ') FROM unnest(queues_) n
      WHERE NOT EXISTS (SELECT FROM bide.queue q JOIN bide.queue_grant g ON g.queue = q.id WHERE q.name = n
        AND g.role = session_user AND g.may_work)) USING ERRCODE = 'BD002';
  END IF;
  PERFORM bide.partition();
  now_ := bide.clock();
  INSERT INTO bide.worker (id, name, kind, version, host, pid, role, queues, slots, formats, began, lease)
    VALUES (me, name_, kind_, version_, host_, pid_, session_user, found_, slots_, formats_, now_, now_ + lease_);
  RETURN QUERY SELECT me, now_, lease_, found_;
END $$;

-- Renews the lease. `matches` says whether the store knows the same turns as the worker; `cancelled` names held turns whose
-- waits were cancelled, each of them once.
CREATE FUNCTION bide.beat(me bigint, held_ int, sum_ bigint) RETURNS TABLE (clock bigint, matches boolean, cancelled bigint[])
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  told_ bigint[] := '{}';
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE bide.worker w SET lease = now_ + bide.setting_of('lease'), held = held_, sum = sum_
    WHERE w.id = me AND w.role = session_user AND w.lease > now_;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  WITH d AS (DELETE FROM bide.told d WHERE d.worker = me RETURNING d.wait)
    SELECT coalesce(array_agg(d.wait), '{}') INTO told_ FROM d;
  RETURN QUERY SELECT now_, count(*) = held_ AND
      coalesce(mod(sum(t.id::numeric * 1048576 + t.attempts), 9223372036854775808), 0) = sum_, told_
    FROM bide.turn t WHERE t.worker = me;
END $$;

-- Removes turns of waits that are gone. No function here leaves one: somebody has deleted rows by hand. Claims cannot take it,
-- and would read it each time.
CREATE FUNCTION bide.remove_strays(ids bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM bide.turn t WHERE t.id IN (SELECT x.id FROM bide.turn x WHERE x.id = ANY (ids) AND x.worker IS NULL
    AND NOT EXISTS (SELECT FROM bide.wait w JOIN bide.run r ON r.id = w.run WHERE w.id = x.id) FOR UPDATE SKIP LOCKED);
$$;

-- Claims the turns that are due first, up to `want`, while their documents have less than `room` bytes: the last one may
-- have more. `keeps` is how many entries of its history are kept, NULL for all; `owner` is that of the run.
CREATE FUNCTION bide.claim(me bigint, q int, lane_ smallint, want int, ahead bigint, back bigint, room bigint DEFAULT 1048576)
  RETURNS TABLE (id bigint, due bigint, deadline bigint, attempts int, strikes smallint, definition int, format smallint,
  state bytea, input text, token text, clock bigint, seed bigint, output text, error text, owner name, keeps int)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  most int := least(greatest(want, 0), 500);
  f_ int[];
  r_ int[];
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT w.formats, w.refused INTO f_, r_ FROM bide.worker w
    WHERE w.id = me AND w.role = session_user AND w.lease > now_;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  PERFORM 1 FROM bide.queue_grant g WHERE g.role = session_user AND g.queue = q AND g.may_work;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role % may not work in the queue %', session_user,
      coalesce((SELECT u.name FROM bide.queue u WHERE u.id = q), q::text) USING ERRCODE = 'BD002';
  END IF;
  -- A claim that finds nothing takes no lock, and so no transaction id.
  PERFORM 1 FROM bide.turn t WHERE t.queue = q AND t.lane = lane_ AND t.lane < 4 AND t.worker IS NULL
    AND t.due BETWEEN now_ - back AND now_ + ahead AND t.format = ANY (f_) AND t.bundle <> ALL (r_) LIMIT 1;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- Keeps reap from releasing what is claimed here; a beat does not wait for it.
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.lease > now_ FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  -- What is locked is written at its place: its key has an entry of the index for each version that was not removed yet. One
  -- that was written since this statement began has no place that this statement sees; it is left to the next claim. The rows
  -- come as they are due.
  RETURN QUERY WITH c AS MATERIALIZED (
    SELECT t.ctid AS place, t.id, octet_length(t.state) AS bytes FROM bide.turn t
      WHERE t.queue = q AND t.lane = lane_ AND t.lane < 4 AND t.worker IS NULL
      AND t.due BETWEEN now_ - back AND now_ + ahead AND t.format = ANY (f_) AND t.bundle <> ALL (r_)
      ORDER BY t.due LIMIT most FOR UPDATE SKIP LOCKED)
  -- No function here writes such a row, and no worker has room for its answer: without documents, the wait ends.
  UPDATE bide.turn t SET worker = me FROM (
    SELECT c.place, w.input, w.token, w.output, w.error, r.seed # w.position AS seed, r.owner, z.bytes > 1048576 AS is_broken,
        CASE r.history WHEN 0 THEN 0 WHEN 1 THEN CASE WHEN r.waits > 1000 THEN 10 END END AS keeps,
        sum(z.bytes) OVER (ROWS UNBOUNDED PRECEDING) - z.bytes AS before
      FROM c JOIN bide.wait w ON w.id = c.id JOIN bide.run r ON r.id = w.run CROSS JOIN LATERAL (SELECT
        c.bytes + octet_length(w.input) + coalesce(octet_length(w.token), 0) + coalesce(octet_length(w.output), 0)
          + coalesce(octet_length(w.error), 0) AS bytes) z) i
    WHERE t.ctid = i.place AND (i.before = 0 OR i.before < room)
    RETURNING t.id, t.due, t.deadline, t.attempts, t.strikes, t.definition, t.format,
      CASE WHEN i.is_broken THEN '' ELSE t.state END, CASE WHEN i.is_broken THEN '' ELSE i.input END,
      CASE WHEN NOT i.is_broken THEN i.token END, now_, i.seed, CASE WHEN NOT i.is_broken THEN i.output END,
      CASE WHEN NOT i.is_broken THEN i.error END, i.owner, i.keeps;
  IF NOT FOUND THEN
    PERFORM bide.remove_strays(ARRAY(SELECT t.id FROM bide.turn t WHERE t.queue = q AND t.lane = lane_ AND t.lane < 4
      AND t.worker IS NULL AND t.due BETWEEN now_ - back AND now_ + ahead AND t.format = ANY (f_) AND t.bundle <> ALL (r_)
      ORDER BY t.due LIMIT 500));
  END IF;
END $$;

-- The worker takes no more turns of a bundle. It keeps the last 1,000 that it refused.
CREATE FUNCTION bide.refuse(me bigint, bundle_ int) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM bide.assert_worker(me);
  UPDATE bide.worker w SET refused = (bundle_ || array_remove(w.refused, bundle_))[1:1000] WHERE w.id = me;
END $$;

-- The definition of turns that a worker of this role has claimed.
CREATE FUNCTION bide.definition_of(id_ int) RETURNS TABLE (id int, bundle_id int, waiter text, body text, owner name,
  is_mine boolean, digest bytea, manifest text, files bytea, signature text) LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT FROM bide.definition d WHERE d.id = id_) AND NOT EXISTS (SELECT FROM bide.worker w
      JOIN bide.turn t ON t.worker = w.id WHERE w.role = session_user AND t.definition = id_) THEN
    RAISE EXCEPTION 'the role % has claimed no turn of the definition %', session_user, id_ USING ERRCODE = 'BD007';
  END IF;
  RETURN QUERY SELECT d.id, b.id, d.waiter, d.body, b.owner, b.owner = session_user, b.digest, b.manifest, b.files, b.signature
    FROM bide.definition d JOIN bide.bundle b ON b.id = d.bundle WHERE d.id = id_;
END $$;

-- Writes attempts after which others follow: of each, its number, when the next one is due, the state, and where they changed
-- the output, the error ('' for none) and the entry of the history. The turns are released, unless `keep` is set: then
-- they stay claimed, no column of an index changes, and a release later puts the time into its place. Returns what was
-- written, and whether its entry was. No index serves IS NOT DISTINCT FROM, so turns are found by id, not by worker.
CREATE FUNCTION bide.settle(me bigint, keep boolean, ids bigint[], ns int[], dues bigint[], formats smallint[], states bytea[],
  outputs text[], errors text[], entries text[]) RETURNS TABLE (id bigint, recorded boolean) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  has_day boolean := to_regclass('bide.' || bide.partition_of(now_)) IS NOT NULL;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.role = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  -- A turn that is due after its deadline would never end. The sorted list and the index of the key are both in order of id:
  -- whichever of them a plan goes through, it locks in that order. Lists in one SELECT are read beside each other; those in a
  -- FROM are copied first.
  RETURN QUERY WITH s AS (
    UPDATE bide.turn t SET due = CASE WHEN keep THEN t.due ELSE least(greatest(l.due, 0), t.deadline) END,
        next = CASE WHEN keep THEN least(greatest(l.due, 0), t.deadline) END, attempts = l.n, format = l.format,
        state = l.state, worker = CASE WHEN keep THEN t.worker END, strikes = 0
      FROM (SELECT * FROM (SELECT unnest(ids) AS id, unnest(ns) AS n, unnest(dues) AS due, unnest(formats) AS format,
          unnest(states) AS state, unnest(outputs) AS output, unnest(errors) AS error, unnest(entries) AS entry) u
        ORDER BY u.id) l
      WHERE t.id = l.id AND t.worker IS NOT DISTINCT FROM me AND t.attempts = l.n - 1
      RETURNING t.id, l.n, l.output, l.error, l.entry),
  o AS (
    UPDATE bide.wait w SET output = nullif(coalesce(s.output, w.output), ''), error = nullif(coalesce(s.error, w.error), '')
      FROM s WHERE w.id = s.id AND (s.output IS NOT NULL OR s.error IS NOT NULL)),
  a AS (
    INSERT INTO bide.attempt (wait, attempt, at, entry)
      SELECT s.id, s.n, now_, s.entry FROM s WHERE has_day AND s.entry IS NOT NULL)
  SELECT s.id, has_day OR s.entry IS NULL FROM s;
END $$;

-- Ends waits: of each, the number of its attempts, the document, whether it succeeded, and the entry of the history.
-- Results of a decided run are not written. `opened` says whether other waits of the runs were opened; `decided`, whether the
-- others of a run are to be cleared.
CREATE FUNCTION bide.finish(me bigint, ids bigint[], ns int[], outcomes text[], successes boolean[], entries text[])
  RETURNS TABLE (id bigint, recorded boolean, opened boolean, decided boolean) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint;
  has_day boolean;
  written bigint[];
  runs bigint[];
  ends int[];
  has_opened boolean := false;
  has_decided boolean;
BEGIN
  PERFORM bide.commit_safely();
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.role = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  PERFORM 1 FROM bide.run r WHERE r.id IN (SELECT w.run FROM unnest(ids) u(id) JOIN bide.wait w ON w.id = u.id)
    ORDER BY r.id FOR UPDATE;
  now_ := bide.clock();
  has_day := to_regclass('bide.' || bide.partition_of(now_)) IS NOT NULL;
  WITH l AS MATERIALIZED (
    SELECT u.*, w.run FROM unnest(ids, ns, outcomes, successes, entries)
        WITH ORDINALITY u(id, n, outcome, success, entry, nth)
      JOIN bide.turn t ON t.id = u.id JOIN bide.wait w ON w.id = u.id JOIN bide.run r ON r.id = w.run
      WHERE t.worker IS NOT DISTINCT FROM me AND u.n - t.attempts::bigint IN (0, 1) AND r.decided IS NULL ORDER BY t.id FOR UPDATE OF t),
  d AS (
    DELETE FROM bide.turn t USING l WHERE t.id = l.id AND t.worker IS NOT DISTINCT FROM me AND l.n - t.attempts::bigint IN (0, 1)
      RETURNING l.*, t.attempts AS before),
  g AS MATERIALIZED (SELECT d.*, row_number() OVER (PARTITION BY d.run ORDER BY d.nth) AS place FROM d),
  w AS (
    UPDATE bide.wait w SET outcome = g.outcome, attempts = g.n, ended = now_,
        rank = bide.bounded(r.succeeded::bigint + r.failed + r.cancelled + g.place)
      FROM g JOIN bide.run r ON r.id = g.run WHERE w.id = g.id),
  a AS (
    INSERT INTO bide.attempt (wait, attempt, at, entry)
      SELECT g.id, g.n, now_, g.entry FROM g WHERE has_day AND g.entry IS NOT NULL AND g.n > g.before),
  x AS MATERIALIZED (
    SELECT g.run, count(*)::int AS ended, (count(*) FILTER (WHERE g.success))::int AS succeeded, max(g.n) AS attempts
      FROM g GROUP BY g.run),
  c AS (
    UPDATE bide.run r SET open = bide.bounded(r.open::bigint - x.ended), succeeded = bide.bounded(r.succeeded::bigint + x.succeeded),
        failed = bide.bounded(r.failed::bigint + x.ended - x.succeeded), attempts = greatest(r.attempts, x.attempts)
      FROM x WHERE r.id = x.run RETURNING r.id, x.ended)
  SELECT (SELECT array_agg(g.id) FROM g), array_agg(c.id), array_agg(c.ended) INTO written, runs, ends FROM c;
  IF runs IS NOT NULL THEN
    has_opened := bide.follow_up(runs, ends, now_);
  END IF;
  has_decided := EXISTS (SELECT FROM bide.run r WHERE r.id = ANY (runs) AND r.decided IS NOT NULL AND r.ended IS NULL);
  RETURN QUERY SELECT u.id, has_day, has_opened, has_decided FROM unnest(written) u(id);
END $$;

-- Releases what is claimed and not held; returns what is held and still claimed, with the attempts that the store knows.
CREATE FUNCTION bide.sync(me bigint, held bigint[]) RETURNS TABLE (id bigint, attempts int) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM bide.assert_worker(me);
  PERFORM 1 FROM bide.worker w WHERE w.id = me FOR KEY SHARE;
  PERFORM bide.release(ARRAY[me], held, 0);
  RETURN QUERY SELECT t.id, t.attempts FROM bide.turn t WHERE t.worker = me AND t.id IN (SELECT unnest(held));
END $$;

CREATE FUNCTION bide.leave(me bigint) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  released int;
BEGIN
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.role = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  released := bide.release(ARRAY[me], '{}', bide.clock());
  DELETE FROM bide.told d WHERE d.worker = me;
  DELETE FROM bide.worker w WHERE w.id = me;
  RETURN released;
END $$;

-- After the process of the worker `old` has ended by itself: ends that worker, and releases its turns. If code of a wait was
-- running then, that wait gets a strike, with the reason; whoever claims it with three of them has to end it. Returns the
-- strikes of the wait, its run and its position.
CREATE FUNCTION bide.strike(me bigint, old bigint, wait_ bigint, reason text) RETURNS TABLE (strikes smallint, run bigint,
  "position" int) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  strikes_ smallint;
BEGIN
  PERFORM bide.assert_worker(me);
  PERFORM 1 FROM bide.worker w WHERE w.id IN (me, old) AND w.role = session_user ORDER BY w.id FOR UPDATE;
  PERFORM 1 FROM bide.turn t WHERE t.worker = old ORDER BY t.id FOR UPDATE;
  IF EXISTS (SELECT FROM bide.worker w WHERE w.id = old AND w.role = session_user) THEN
    UPDATE bide.turn t SET strikes = t.strikes + 1 WHERE t.id = wait_ AND t.worker = old RETURNING t.strikes INTO strikes_;
    IF FOUND THEN
      -- A settle sets the strikes to 0 and writes the error, so above 1 the error is the list that was begun here.
      UPDATE bide.wait w SET error = CASE WHEN strikes_ > 1 THEN left(w.error, -1) || ',' ELSE '[' END
          || to_json(left(reason, 1000))::text || ']'
        WHERE w.id = wait_;
    END IF;
    PERFORM bide.release(ARRAY[old], '{}', bide.clock());
    DELETE FROM bide.told d WHERE d.worker = old;
    DELETE FROM bide.worker w WHERE w.id = old;
  END IF;
  RETURN QUERY SELECT strikes_, w.run, w.position FROM bide.wait w WHERE w.id = wait_ AND strikes_ IS NOT NULL;
END $$;

-- Releases the turns of workers whose lease is over, and ends those workers; with `orphans`, also turns whose worker is in
-- no row.
CREATE FUNCTION bide.reap(orphans boolean) RETURNS TABLE (workers int, turns int) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  last_ bigint := now_ + bide.setting_of('lease');
  dead bigint[];
  lost bigint[];
  released int;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- The clock was set back, or leases are shorter now: no lease is longer than a new one, but for a second.
  IF EXISTS (SELECT FROM bide.worker w WHERE w.lease > last_ + 1000000) THEN
    UPDATE bide.worker w SET lease = last_ WHERE w.id IN
      (SELECT x.id FROM bide.worker x WHERE x.lease > last_ + 1000000 FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  IF EXISTS (SELECT FROM bide.worker w WHERE w.lease <= now_) THEN
    SELECT array_agg(l.id) INTO dead FROM
      (SELECT w.id FROM bide.worker w WHERE w.lease <= now_ ORDER BY w.id FOR UPDATE SKIP LOCKED) l;
  END IF;
  IF orphans THEN
    WITH RECURSIVE owner(id) AS (
      (SELECT t.worker FROM bide.turn t WHERE t.worker IS NOT NULL ORDER BY t.worker LIMIT 1)
      UNION ALL
      SELECT (SELECT t.worker FROM bide.turn t WHERE t.worker > owner.id ORDER BY t.worker LIMIT 1)
        FROM owner WHERE owner.id IS NOT NULL)
    SELECT array_agg(o.id) INTO lost FROM owner o
      WHERE o.id IS NOT NULL AND NOT EXISTS (SELECT FROM bide.worker w WHERE w.id = o.id);
  END IF;
  IF dead IS NULL AND lost IS NULL THEN
    RETURN QUERY SELECT 0, 0;
    RETURN;
  END IF;
  released := bide.release(dead || lost, '{}', 0);
  DELETE FROM bide.told d WHERE d.worker = ANY (dead);
  DELETE FROM bide.worker w WHERE w.id = ANY (dead);
  RETURN QUERY SELECT coalesce(cardinality(dead), 0), released;
END $$;

-- Sets aside up to 500 turns that the worker refuses and that nobody has taken for 5 s, so that claims do not read them.
-- Returns their number.
CREATE FUNCTION bide.set_aside(me bigint, q int, lane_ smallint) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  f_ int[];
  r_ int[];
  moved int;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT w.formats, w.refused INTO f_, r_ FROM bide.worker w
    WHERE w.id = me AND w.role = session_user AND w.lease > now_ AND q = ANY (w.queues);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  PERFORM 1 FROM bide.turn t WHERE t.queue = q AND t.lane = lane_ AND t.lane < 4 AND t.worker IS NULL AND t.due < now_ - 5000000
    AND NOT (t.format = ANY (f_) AND t.bundle <> ALL (r_)) LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  WITH c AS MATERIALIZED (
    SELECT t.id FROM bide.turn t WHERE t.queue = q AND t.lane = lane_ AND t.lane < 4 AND t.worker IS NULL
      AND t.due < now_ - 5000000 AND NOT (t.format = ANY (f_) AND t.bundle <> ALL (r_))
      ORDER BY t.due LIMIT 500 FOR UPDATE SKIP LOCKED),
  m AS (
    UPDATE bide.turn t SET lane = t.lane + 4, next = t.due, due = t.deadline FROM c WHERE t.id = c.id
      RETURNING t.queue, t.bundle, t.format),
  -- Locks the rows, so that nobody deletes one who does not see these turns.
  a AS (
    INSERT INTO bide.aside SELECT DISTINCT m.queue, m.bundle, m.format FROM m ORDER BY 1, 2, 3
      ON CONFLICT (queue, bundle, format) DO UPDATE SET queue = excluded.queue)
  SELECT count(*) INTO moved FROM m;
  RETURN moved;
END $$;

-- Moves up to 500 turns back of each (bundle, format) that is set aside in a queue and that the worker takes. Returns
-- their number.
CREATE FUNCTION bide.take_back(me bigint, q int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  f_ int[];
  r_ int[];
  a record;
  moved int;
  total int := 0;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT w.formats, w.refused INTO f_, r_ FROM bide.worker w
    WHERE w.id = me AND w.role = session_user AND w.lease > now_ AND q = ANY (w.queues);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  IF NOT EXISTS (SELECT FROM bide.aside a WHERE a.queue = q AND a.format = ANY (f_) AND a.bundle <> ALL (r_)) THEN
    RETURN 0;
  END IF;
  FOR a IN SELECT x.* FROM bide.aside x WHERE x.queue = q AND x.format = ANY (f_) AND x.bundle <> ALL (r_)
      ORDER BY x.bundle, x.format FOR UPDATE SKIP LOCKED LOOP
    WITH c AS MATERIALIZED (
      SELECT t.id FROM bide.turn t WHERE t.queue = a.queue AND t.bundle = a.bundle AND t.format = a.format AND t.lane > 4
        LIMIT 500 FOR UPDATE SKIP LOCKED)
    UPDATE bide.turn t SET lane = t.lane - 4, due = coalesce(t.next, t.due), next = NULL FROM c WHERE t.id = c.id;
    GET DIAGNOSTICS moved = ROW_COUNT;
    total := total + moved;
    IF moved = 0 AND NOT EXISTS (SELECT FROM bide.turn t
        WHERE t.queue = a.queue AND t.bundle = a.bundle AND t.format = a.format AND t.lane > 4) THEN
      DELETE FROM bide.aside x WHERE x.queue = a.queue AND x.bundle = a.bundle AND x.format = a.format;
    END IF;
  END LOOP;
  RETURN total;
END $$;

-- Ends waits that are over their deadline by 10 s, whatever their format. A worker that holds one is told. Returns their
-- number; the caller calls again until that is 0.
CREATE FUNCTION bide.expire() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  over_ bigint := now_ - 10000000;
  over_ids bigint[];
  locked bigint[];
  runs bigint[];
  ends int[];
BEGIN
  SELECT array_agg(o.id) INTO over_ids FROM (
    SELECT x.id FROM bide.queue q CROSS JOIN unnest(ARRAY[1, 2, 3, 5, 6, 7]::smallint[]) l(lane)
      CROSS JOIN LATERAL (SELECT t.id, t.deadline FROM bide.turn t WHERE t.queue = q.id AND t.lane = l.lane
        AND t.worker IS NULL AND t.due <= over_ ORDER BY t.due LIMIT 500) x WHERE x.deadline <= over_
    UNION ALL
    (SELECT t.id FROM bide.turn t WHERE t.worker IS NOT NULL AND t.deadline <= over_ LIMIT 500)) o;
  IF over_ids IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM bide.commit_safely();
  SELECT array_agg(k.id) INTO locked FROM (SELECT r.id FROM bide.run r
    WHERE r.id IN (SELECT w.run FROM unnest(over_ids) u(id) JOIN bide.wait w ON w.id = u.id)
    ORDER BY r.id FOR UPDATE SKIP LOCKED) k;
  now_ := bide.clock();
  WITH l AS MATERIALIZED (
    SELECT t.id, w.run FROM unnest(over_ids) u(id) JOIN bide.turn t ON t.id = u.id JOIN bide.wait w ON w.id = u.id
      JOIN bide.run r ON r.id = w.run
      WHERE r.id = ANY (locked) AND r.decided IS NULL AND t.deadline <= over_ FOR UPDATE OF t SKIP LOCKED),
  d AS (DELETE FROM bide.turn t USING l WHERE t.id = l.id RETURNING t.id, t.worker, t.attempts, l.run),
  n AS (INSERT INTO bide.told SELECT d.worker, d.id FROM d WHERE d.worker IS NOT NULL ON CONFLICT DO NOTHING),
  g AS MATERIALIZED (SELECT d.*, row_number() OVER (PARTITION BY d.run ORDER BY d.id) AS place FROM d),
  w AS (
    UPDATE bide.wait w SET outcome = '"maxWait"', attempts = g.attempts, ended = now_,
        rank = bide.bounded(r.succeeded::bigint + r.failed + r.cancelled + g.place)
      FROM g JOIN bide.run r ON r.id = g.run WHERE w.id = g.id),
  x AS MATERIALIZED (SELECT g.run, count(*)::int AS ended, max(g.attempts) AS attempts FROM g GROUP BY g.run),
  c AS (
    UPDATE bide.run r SET open = bide.bounded(r.open::bigint - x.ended), failed = bide.bounded(r.failed::bigint + x.ended),
        attempts = greatest(r.attempts, x.attempts)
      FROM x WHERE r.id = x.run RETURNING r.id, x.ended)
  SELECT array_agg(c.id), array_agg(c.ended) INTO runs, ends FROM c;
  IF runs IS NULL THEN
    PERFORM bide.remove_strays(over_ids);
    RETURN 0;
  END IF;
  PERFORM bide.follow_up(runs, ends, now_);
  RETURN (SELECT sum(e) FROM unnest(ends) e);
END $$;

-- Ends up to 5,000 waits of a decided run, or of any one that nobody else works on: they are cancelled, and workers that
-- hold one are told. Returns how many positions are left; NULL if there is no decided run.
CREATE FUNCTION bide.clear(run_ bigint) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint;
  r bide.run;
  removed int;
  most int;
BEGIN
  IF run_ IS NULL THEN
    IF NOT EXISTS (SELECT FROM bide.run r WHERE r.decided IS NOT NULL AND r.ended IS NULL) THEN
      RETURN NULL;
    END IF;
    SELECT x.* INTO r FROM bide.run x WHERE x.decided IS NOT NULL AND x.ended IS NULL
      ORDER BY x.decided LIMIT 1 FOR UPDATE SKIP LOCKED;
  ELSE
    SELECT x.* INTO r FROM bide.run x WHERE x.id = run_ AND x.decided IS NOT NULL AND x.ended IS NULL FOR UPDATE;
  END IF;
  IF r.id IS NULL THEN
    RETURN NULL;
  END IF;
  now_ := bide.clock();
  WITH c AS MATERIALIZED (
    SELECT w.id, w.position FROM bide.wait w
      WHERE w.run = r.id AND w.position > r.opened::bigint - 5000 AND w.position <= r.opened AND w.ended IS NULL),
  l AS MATERIALIZED (SELECT t.id FROM c JOIN bide.turn t ON t.id = c.id ORDER BY t.id FOR UPDATE OF t),
  d AS (DELETE FROM bide.turn t USING l WHERE t.id = l.id RETURNING t.id, t.worker, t.attempts),
  n AS (
    INSERT INTO bide.told SELECT d.worker, d.id FROM d WHERE d.worker IS NOT NULL ON CONFLICT DO NOTHING),
  g AS MATERIALIZED (
    SELECT c.id, coalesce(d.attempts, 0) AS attempts, row_number() OVER (ORDER BY c.position) AS place
      FROM c LEFT JOIN d ON d.id = c.id),
  u AS (
    UPDATE bide.wait w SET outcome = '"cancelled"', attempts = g.attempts, ended = now_,
        rank = bide.bounded(r.succeeded::bigint + r.failed + r.cancelled + g.place)
      FROM g WHERE w.id = g.id RETURNING w.attempts)
  SELECT count(*), max(u.attempts) INTO removed, most FROM u;
  -- Behind the first position nothing is left, whatever the run has counted: it ends, and lets the others be cleared.
  UPDATE bide.run x SET opened = greatest(r.opened::bigint - 5000, 0)::int, open = bide.bounded(x.open::bigint - removed),
      cancelled = bide.bounded(x.cancelled::bigint + removed), attempts = greatest(x.attempts, most),
      ended = CASE WHEN x.open = removed OR r.opened <= 5000 THEN now_ END
    WHERE x.id = r.id;
  RETURN CASE WHEN r.open = removed THEN 0 ELSE greatest(r.opened::bigint - 5000, 0)::int END;
END $$;

-- Of runs that are still open though their deadline was over at a time: has expire find turns whose broken rows no claim reads,
-- and decides those that have no turn at all.
CREATE FUNCTION bide.find_lost(over_ bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  WITH l AS MATERIALIZED (
    SELECT t.id, r.queue, r.deadline FROM bide.run r JOIN bide.wait w ON w.run = r.id JOIN bide.turn t ON t.id = w.id
      WHERE r.ended IS NULL AND r.decided IS NULL AND r.deadline < over_
      LIMIT 5000 FOR UPDATE OF t SKIP LOCKED)
  UPDATE bide.turn t SET queue = l.queue, due = l.deadline, deadline = l.deadline,
      lane = CASE WHEN t.lane BETWEEN 1 AND 3 OR t.lane BETWEEN 5 AND 7 THEN t.lane ELSE 2 END
    FROM l WHERE t.id = l.id;
  UPDATE bide.run r SET decided = bide.clock(), outcome = 'failure', opened = r.waits
    WHERE r.id IN (SELECT x.id FROM bide.run x WHERE x.ended IS NULL AND x.decided IS NULL AND x.deadline < over_
      AND NOT EXISTS (SELECT FROM bide.wait w JOIN bide.turn t ON t.id = w.id WHERE w.run = x.id) FOR UPDATE SKIP LOCKED);
END $$;

-- Once an hour, and again while `more`: deletes ended runs that are not retained, rows of staging whose transaction has
-- ended, requests, paces, and definitions and bundles of no run; makes and drops partitions; lets waits end whose turns nobody
-- finds.
CREATE FUNCTION bide.maintain(again boolean) RETURNS TABLE (runs int, more boolean) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  old bigint;
BEGIN
  IF NOT again THEN
    PERFORM 1 FROM bide.meta m WHERE m.maintained <= now_ - 3600000000;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 0, false;
      RETURN;
    END IF;
    UPDATE bide.meta m SET maintained = now_ WHERE m.maintained <= now_ - 3600000000;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 0, false;
      RETURN;
    END IF;
    PERFORM bide.partition();
    DELETE FROM bide.staging s WHERE s.xact < pg_snapshot_xmin(pg_current_snapshot());
    DELETE FROM bide.request r WHERE r.ended + r.retain + coalesce(r.late, 0) < now_;
    DELETE FROM bide.pace p WHERE p.used < now_ - 3600000000 AND p.closed_until < now_;
    IF EXISTS (SELECT FROM bide.definition d WHERE d.used < now_) THEN
      WITH l AS MATERIALIZED (
        SELECT d.id FROM bide.definition d JOIN bide.bundle b ON b.id = d.bundle
          WHERE d.used < now_ AND NOT EXISTS (SELECT FROM bide.wait w WHERE w.definition = d.id)
          FOR UPDATE OF d SKIP LOCKED FOR NO KEY UPDATE OF b SKIP LOCKED),
      d AS (DELETE FROM bide.definition d USING l WHERE d.id = l.id RETURNING d.bundle, d.bytes),
      g AS (SELECT d.bundle, sum(d.bytes) AS bytes FROM d GROUP BY d.bundle)
      UPDATE bide.bundle b SET bytes = b.bytes - g.bytes FROM g WHERE b.id = g.bundle;
      UPDATE bide.definition d SET used = now_ + 86400000000
        WHERE d.id IN (SELECT x.id FROM bide.definition x WHERE x.used < now_ FOR UPDATE SKIP LOCKED);
    END IF;
    PERFORM bide.find_lost(now_ - 60000000);
    DELETE FROM bide.bundle b WHERE b.id IN (SELECT x.id FROM bide.bundle x WHERE x.made < now_ - 86400000000
      AND NOT EXISTS (SELECT FROM bide.definition d WHERE d.bundle = x.id) FOR UPDATE SKIP LOCKED);
  END IF;
  SELECT r.id INTO old FROM bide.run r WHERE r.ended < now_ - bide.setting_of('retain')
    ORDER BY r.ended LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF old IS NULL THEN
    RETURN QUERY SELECT 0, false;
    RETURN;
  END IF;
  RETURN QUERY SELECT bide.forget(old)::int, true;
END $$;

-- Reserves up to n requests to a host, at most 1 s ahead, for a worker that has the answer in `lead`: what is saved up is sent
-- then. Returns the time of the first one, how many there are, and the clock; `granted` is 0 if the next one is further away,
-- or the host is closed.
CREATE FUNCTION bide.reserve(me bigint, q int, host_ text, gap_ bigint, burst_ int, n int, lead bigint DEFAULT 0)
  RETURNS TABLE (first bigint, granted int, gap bigint, free bigint, closed_until bigint, clock bigint) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint;
  p bide.pace;
  start bigint;
  count_ int;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM bide.assert_worker(me);
  IF gap_ IS NULL OR gap_ NOT BETWEEN 0 AND 31622400000000 OR burst_ IS NULL OR burst_ NOT BETWEEN 1 AND 1000000 OR n IS NULL
      OR n < 1 OR lead IS NULL OR lead NOT BETWEEN 0 AND 1000000
      OR octet_length(host_) > 1024 OR NOT EXISTS (SELECT FROM bide.worker w WHERE w.id = me AND q = ANY (w.queues)) THEN
    RAISE EXCEPTION 'a reservation needs a queue of the worker, a gap up to 366 days, a burst and a number above 0, and a lead up to 1 s'
      USING ERRCODE = 'BD005';
  END IF;
  INSERT INTO bide.pace (queue, host, gap, burst, free, used) VALUES (q, host_, gap_, burst_, 0, 0)
    ON CONFLICT DO NOTHING;
  SELECT x.* INTO p FROM bide.pace x WHERE x.queue = q AND x.host = host_ FOR UPDATE;
  now_ := bide.clock();
  -- Nobody reserves further ahead: the clock was set back.
  p.free := least(p.free, now_ + 1000000 + p.gap);
  IF gap_ >= p.gap OR p.used < now_ - 60000000 THEN
    -- After a greater gap, the next request is no further away than what may be reserved.
    p.free := CASE WHEN gap_ < p.gap THEN least(p.free, now_ + 1000000) ELSE p.free END;
    p.gap := gap_;
    p.burst := burst_;
    p.used := now_;
  END IF;
  start := greatest(p.free, now_ + lead - least((p.burst - 1)::numeric * p.gap, now_)::bigint);
  count_ := CASE WHEN p.closed_until > now_ OR start > now_ + 1000000 THEN 0
    WHEN p.gap = 0 THEN n ELSE least(n, (now_ + 1000000 - start) / p.gap + 1) END;
  UPDATE bide.pace x SET gap = p.gap, burst = p.burst, used = p.used, free = start + count_ * p.gap
    WHERE x.queue = q AND x.host = host_;
  RETURN QUERY SELECT greatest(start, p.closed_until), count_, p.gap, start + count_ * p.gap, p.closed_until, now_;
END $$;

-- Gives back the last n requests of a reservation, if nobody has reserved since, or named a greater gap.
CREATE FUNCTION bide.give_back(me bigint, q int, host_ text, n int, free_ bigint, gap_ bigint) RETURNS boolean LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM bide.assert_worker(me);
  UPDATE bide.pace p SET free = p.free - greatest(n, 0) * p.gap
    WHERE p.queue = q AND p.host = host_ AND p.free = free_ AND p.gap = gap_
    AND EXISTS (SELECT FROM bide.worker w WHERE w.id = me AND q = ANY (w.queues));
  RETURN FOUND;
END $$;

-- A service asked for a pause: closes its host for all workers, for at most 10 minutes.
CREATE FUNCTION bide.close_host(me bigint, q int, host_ text, pause bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM bide.assert_worker(me);
  IF octet_length(host_) > 1024 THEN
    RAISE EXCEPTION 'the name of a host is too long' USING ERRCODE = 'BD005';
  END IF;
  INSERT INTO bide.pace AS p (queue, host, gap, burst, free, used, closed_until)
    SELECT q, host_, 0, 1, 0, 0, now_ + least(greatest(pause, 0), 600000000)
      FROM bide.worker w WHERE w.id = me AND q = ANY (w.queues)
    ON CONFLICT (queue, host) DO UPDATE SET closed_until = greatest(p.closed_until, excluded.closed_until);
END $$;

-- The hosts of a queue that are closed, which workers read each second.
CREATE FUNCTION bide.closed_hosts(me bigint, q int) RETURNS TABLE (host text, closed_until bigint, clock bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.host, p.closed_until, n.clock FROM (SELECT bide.clock() AS clock) n, bide.pace p, bide.worker w
    WHERE p.queue = q AND p.closed_until > n.clock AND w.id = me AND w.role = session_user AND q = ANY (w.queues)
$$;

-- Claims a request of bide.once: "mine" to make it; "theirs" another attempt is making it; "made", with its result; "late"
-- its tombstone is left; "ask": a request that nobody makes has other parameters, and the caller calls again with `known`
-- if they are equal. The owner of the record is that of the run of the wait.
CREATE FUNCTION bide.once(me bigint, wait_ bigint, attempt_ int, identity_ text, token_ text, parameters_ text, anew boolean,
  known text) RETURNS TABLE (answer text, parameters text, result text) LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  owner_ name;
  r bide.request;
BEGIN
  PERFORM bide.commit_safely();
  PERFORM bide.assert_worker(me);
  SELECT u.owner INTO owner_ FROM bide.turn t JOIN bide.wait w ON w.id = t.id JOIN bide.run u ON u.id = w.run
    WHERE t.id = wait_ AND t.worker = me;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the wait % is not claimed', wait_ USING ERRCODE = 'BD006';
  END IF;
  INSERT INTO bide.request (owner, identity, token, parameters, worker, wait, attempt, began)
    VALUES (owner_, identity_, token_, parameters_, me, wait_, attempt_, now_) ON CONFLICT DO NOTHING;
  IF FOUND THEN
    RETURN QUERY SELECT 'mine', NULL::text, NULL::text;
    RETURN;
  END IF;
  SELECT x.* INTO r FROM bide.request x WHERE x.owner = owner_ AND x.identity = identity_ AND x.token = token_ FOR UPDATE;
  IF r.ended + r.retain < now_ OR r.result = '' THEN
    IF NOT anew AND NOT coalesce(r.ended + r.retain + r.late < now_, false) THEN
      RETURN QUERY SELECT 'late', r.parameters, NULL::text;
      RETURN;
    END IF;
  ELSIF r.result IS NOT NULL THEN
    RETURN QUERY SELECT 'made', r.parameters, r.result;
    RETURN;
  ELSIF EXISTS (SELECT FROM bide.worker w WHERE w.id = r.worker AND w.lease > now_)
      AND NOT (r.worker = me AND r.wait = wait_) THEN
    RETURN QUERY SELECT 'theirs', r.parameters, NULL::text;
    RETURN;
  ELSIF r.parameters <> parameters_ AND r.parameters IS DISTINCT FROM known THEN
    RETURN QUERY SELECT 'ask', r.parameters, NULL::text;
    RETURN;
  END IF;
  UPDATE bide.request x SET parameters = parameters_, result = NULL, worker = me, wait = wait_, attempt = attempt_,
      began = now_, ended = NULL, retain = NULL, late = NULL
    WHERE x.owner = owner_ AND x.identity = identity_ AND x.token = token_;
  RETURN QUERY SELECT 'mine', NULL::text, NULL::text;
END $$;

-- Records the result of a request; without one, and with `done`, frees its token; else lets the next attempt make it.
CREATE FUNCTION bide.once_end(me bigint, wait_ bigint, attempt_ int, identity_ text, token_ text, result_ text, done boolean,
  retain_ bigint, late_ bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner_ name := (SELECT u.owner FROM bide.wait w JOIN bide.run u ON u.id = w.run WHERE w.id = wait_);
BEGIN
  PERFORM bide.commit_safely();
  PERFORM 1 FROM bide.worker w WHERE w.id = me AND w.role = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';
  END IF;
  IF result_ IS NULL AND done THEN
    DELETE FROM bide.request r WHERE r.owner = owner_ AND r.identity = identity_ AND r.token = token_ AND r.worker = me
      AND r.wait = wait_ AND r.attempt = attempt_ AND r.result IS NULL;
  ELSE
    UPDATE bide.request r SET result = result_, worker = NULL, ended = CASE WHEN done THEN bide.clock() END,
        retain = CASE WHEN done THEN retain_ END, late = CASE WHEN done THEN late_ END
      WHERE r.owner = owner_ AND r.identity = identity_ AND r.token = token_ AND r.worker = me AND r.wait = wait_
        AND r.attempt = attempt_ AND r.result IS NULL;
  END IF;
  RETURN FOUND;
END $$;

-- ---- what submitters call ------------------------------------------------------------------------

-- Called in a transaction of its own before the rows are copied: raises if the role may not submit to the queue. After a
-- failover or a restore, sequences may have gone back, so they jump, and rows of staging may name transactions to come.
CREATE FUNCTION bide.begin_submit(queue_ text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  timeline_ text := bide.timeline();
BEGIN
  PERFORM 1 FROM bide.queue q JOIN bide.queue_grant g ON g.queue = q.id
    WHERE q.name = queue_ AND g.role = session_user AND g.may_submit;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role % may not submit to the queue %', session_user, queue_ USING ERRCODE = 'BD002';
  END IF;
  IF EXISTS (SELECT FROM bide.meta m WHERE m.timeline <> timeline_) THEN
    PERFORM bide.commit_safely();
    UPDATE bide.meta m SET timeline = timeline_ WHERE m.timeline <> timeline_;
    IF FOUND THEN
      PERFORM setval('bide.run_id', nextval('bide.run_id') + 33554432);
      PERFORM setval('bide.wait_id', nextval('bide.wait_id') + 33554432);
      DELETE FROM bide.staging;
    END IF;
  END IF;
  RETURN bide.clock();
END $$;

-- What distinguishes the key of a signature by ssh-keygen: "SSHSIG", 4 bytes of a version, 4 with the length of the public key,
-- and the key. Whether the signature is right is for workers to check.
CREATE FUNCTION bide.signer_of(signature text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
DECLARE
  parts bytea;
BEGIN
  IF signature IS NULL THEN
    RETURN '';
  END IF;
  parts := decode(regexp_replace(signature, '-----[^\n]*', '', 'g'), 'base64');
  RETURN sha256(substring(parts FROM 15 FOR get_byte(parts, 12) * 256 + get_byte(parts, 13)));
EXCEPTION WHEN data_exception THEN
  RETURN sha256(convert_to(signature, 'UTF8'));
END $$;

-- Lets nobody else add to what session_user keeps, until the transaction ends, and returns its quota in bytes.
CREATE FUNCTION bide.lock_kept() RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  -- What is counted then must be what was committed when the lock was taken.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a recipe is submitted in a transaction that reads what is committed' USING ERRCODE = 'BD005';
  END IF;
  PERFORM 1 FROM bide.queue_grant g WHERE g.role = session_user AND g.may_submit ORDER BY g.queue FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role % may not submit to any queue', session_user USING ERRCODE = 'BD002';
  END IF;
  RETURN (SELECT coalesce(min(g.most_kept), bide.setting_of('most_kept')) FROM bide.queue_grant g
    WHERE g.role = session_user AND g.may_submit);
END $$;

CREATE FUNCTION bide.check_kept(most bigint) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  kept bigint := (SELECT sum(b.bytes) FROM bide.bundle b WHERE b.owner = session_user);
BEGIN
  IF kept > most THEN
    RAISE EXCEPTION 'the role % may keep % bytes of recipes and options, and would have %: those that no run needs are deleted '
      'a day later; an administrator may allow more by bide store grant --most-kept', session_user, most, kept
      USING ERRCODE = 'BD003';
  END IF;
END $$;

CREATE FUNCTION bide.put_bundle(manifest_ text, files_ bytea, signature_ text) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  digest_ bytea := sha256(convert_to(manifest_, 'UTF8'));
  signer_ bytea;
  found_ bide.bundle;
  most bigint;
  id_ int;
  is_new boolean; -- xmax is 0 in a row that was inserted
BEGIN
  IF octet_length(files_) > 1048576 OR octet_length(manifest_) > 65536 OR octet_length(signature_) > 65536 THEN
    RAISE EXCEPTION 'a recipe with its modules has at most 1 MiB' USING ERRCODE = 'BD005';
  END IF;
  signer_ := bide.signer_of(signature_);
  SELECT b.* INTO found_ FROM bide.bundle b WHERE b.owner = session_user AND b.digest = digest_ AND b.signer = signer_;
  IF found_.id IS NULL OR found_.made < now_ - 3600000000 OR found_.signature IS DISTINCT FROM signature_ THEN
    most := bide.lock_kept();
    INSERT INTO bide.bundle AS b (owner, digest, manifest, files, signature, signer, made, bytes)
      VALUES (session_user, digest_, manifest_, files_, signature_, signer_, now_,
        256 + octet_length(manifest_) + octet_length(files_) + coalesce(octet_length(signature_), 0))
      ON CONFLICT (owner, digest, signer) DO UPDATE SET made = excluded.made, signature = excluded.signature,
        bytes = b.bytes + octet_length(coalesce(excluded.signature, '')) - octet_length(coalesce(b.signature, ''))
      RETURNING b.id, b.xmax = 0 INTO id_, is_new;
    IF is_new OR found_.signature IS DISTINCT FROM signature_ THEN
      PERFORM bide.check_kept(most);
    END IF;
    RETURN id_;
  END IF;
  RETURN found_.id;
END $$;

CREATE FUNCTION bide.put_definition(bundle_ int, waiter_ text, body_ text) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  digest_ bytea := sha256(convert_to(json_build_array(bundle_, waiter_, body_)::text, 'UTF8'));
  id_ int;
  bytes_ bigint;
  most bigint;
  is_new boolean; -- xmax is 0 in a row that was inserted
BEGIN
  IF octet_length(body_) > 262144 OR octet_length(waiter_) > 1024 THEN
    RAISE EXCEPTION 'the options of a wait have at most 256 KiB' USING ERRCODE = 'BD005';
  ELSIF NOT EXISTS (SELECT FROM bide.bundle b WHERE b.id = bundle_ AND b.owner = session_user) THEN
    RAISE EXCEPTION 'the role % has no bundle %', session_user, bundle_ USING ERRCODE = 'BD005';
  END IF;
  SELECT d.id INTO id_ FROM bide.definition d WHERE d.digest = digest_ AND d.used > now_ + 3600000000;
  IF id_ IS NULL THEN
    most := bide.lock_kept();
    INSERT INTO bide.definition AS d (bundle, waiter, body, digest, used)
      VALUES (bundle_, waiter_, body_, digest_, now_ + 86400000000)
      ON CONFLICT (digest) DO UPDATE SET used = greatest(d.used, excluded.used)
      RETURNING d.id, d.bytes, d.xmax = 0 INTO id_, bytes_, is_new;
    IF is_new THEN
      UPDATE bide.bundle b SET bytes = b.bytes + bytes_ WHERE b.id = bundle_;
      PERFORM bide.check_kept(most);
    END IF;
  END IF;
  RETURN id_;
END $$;

-- Keeps definitions until a time. Returns their bundles, in the order of the definitions; NULL for one that session_user has
-- not made. A function of its own, since the plans of bide.submit read whole tables.
CREATE FUNCTION bide.use_definitions(definitions int[], until_ bigint) RETURNS int[] LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  bundles int[] := ARRAY(SELECT b.id FROM unnest(definitions) WITH ORDINALITY u(id, nth) LEFT JOIN bide.definition d
    ON d.id = u.id LEFT JOIN bide.bundle b ON b.id = d.bundle AND b.owner = session_user ORDER BY u.nth);
BEGIN
  IF array_position(bundles, NULL) IS NULL THEN
    UPDATE bide.definition d SET used = until_ WHERE d.id = ANY (definitions) AND d.used < until_;
  END IF;
  RETURN bundles;
END $$;

-- Makes a run of the rows that this transaction has copied into bide.staging. If more than 1,000 waits open at once, their
-- first attempts are spread over `spread`. The same submit token with the same digest is the same run; with another digest
-- it is refused, and the detail of the error is the digest that the run has.
CREATE FUNCTION bide.submit(queue_ text, lane_ smallint, rule_ text, need_ int, jobs_ int, seed_ bigint, about_ text,
  history_ smallint, submit_token_ text, submit_digest_ bytea, definitions int[], spread bigint DEFAULT 0) RETURNS TABLE (run bigint,
  waits int, created boolean, clock bigint) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  now_ bigint := bide.clock();
  xact_ xid8 := pg_current_xact_id();
  g bide.queue_grant;
  s record;
  old bide.run;
  cell_ bigint;
  id_ bigint;
  bundles int[];
  opened int;
  open_ bigint;
  most bigint;
  locked_at bigint;
BEGIN
  -- What is counted below must be what was committed when the lock was taken.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a run is submitted in a transaction that reads what is committed' USING ERRCODE = 'BD005';
  END IF;
  PERFORM bide.commit_safely();
  SELECT x.* INTO g FROM bide.queue_grant x JOIN bide.queue q ON q.id = x.queue
    WHERE q.name = queue_ AND x.role = session_user AND x.may_submit FOR UPDATE OF x;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the role % may not submit to the queue %', session_user, queue_ USING ERRCODE = 'BD002';
  END IF;
  locked_at := bide.clock();
  SELECT r.* INTO old FROM bide.run r WHERE r.owner = session_user AND r.submit_token = submit_token_;
  IF old.id IS NOT NULL THEN
    IF old.submit_digest IS DISTINCT FROM submit_digest_ THEN
      RAISE EXCEPTION 'the submit token belongs to another request, that of the run %', old.id
        USING ERRCODE = 'BD004', DETAIL = encode(old.submit_digest, 'hex');
    END IF;
    DELETE FROM bide.staging x WHERE x.xact = xact_;
    RETURN QUERY SELECT old.id, old.waits, false, now_;
    RETURN;
  END IF;
  SELECT count(*)::int AS waits, min(x.position) AS first, max(x.position) AS last, min(x.max_wait) AS shortest,
      max(x.max_wait) AS longest, max(octet_length(x.input)) AS largest, max(octet_length(x.token)) AS longest_token,
      sum(octet_length(x.input) + coalesce(octet_length(x.branch), 0)) AS bytes,
      min(x.delay) AS soonest, max(x.delay) AS latest, min(x.definition) AS first_definition,
      max(x.definition) AS last_definition
    INTO s FROM bide.staging x WHERE x.xact = xact_;
  IF s.waits = 0 THEN
    RAISE EXCEPTION 'a run has at least one wait' USING ERRCODE = 'BD005';
  ELSIF s.waits > 10000000 OR s.bytes > 1073741824 THEN
    RAISE EXCEPTION 'a run has at most 10000000 waits and 1 GiB of inputs' USING ERRCODE = 'BD005';
  ELSIF s.first <> 1 OR s.last <> s.waits THEN
    RAISE EXCEPTION 'the positions of % waits are not 1 to %', s.waits, s.waits USING ERRCODE = 'BD005';
  ELSIF s.largest > 262144 THEN
    RAISE EXCEPTION 'an input has at most 256 KiB' USING ERRCODE = 'BD005';
  ELSIF s.longest_token > 1024 THEN
    RAISE EXCEPTION 'a token has at most 1024 bytes' USING ERRCODE = 'BD005';
  ELSIF s.longest > 31622400000000 OR s.shortest <= 0 THEN
    RAISE EXCEPTION 'a max wait is above 0 and at most 366 days' USING ERRCODE = 'BD005';
  ELSIF s.shortest < 100::bigint * s.waits THEN
    RAISE EXCEPTION 'the max wait is too short for % waits: it is below 100 µs for each', s.waits USING ERRCODE = 'BD005';
  ELSIF s.soonest < 0 OR s.latest > 31622400000000 THEN
    RAISE EXCEPTION 'the delay of a wait is at least 0 and at most 366 days' USING ERRCODE = 'BD005';
  ELSIF s.first_definition < 1 OR s.last_definition > cardinality(definitions) THEN
    RAISE EXCEPTION 'a wait has no definition' USING ERRCODE = 'BD005';
  ELSIF lane_ NOT BETWEEN 1 AND 3 OR need_ NOT BETWEEN 1 AND s.waits OR jobs_ < 1 OR history_ NOT BETWEEN 0 AND 2 THEN
    RAISE EXCEPTION 'the lane, the needed waits, the jobs or the history are out of range' USING ERRCODE = 'BD005';
  ELSIF spread NOT BETWEEN 0 AND 10000000 THEN
    RAISE EXCEPTION 'first attempts are spread over at most 10 s' USING ERRCODE = 'BD005';
  ELSIF octet_length(about_) > 1048576 OR octet_length(submit_token_) > 1024 THEN
    RAISE EXCEPTION 'what is said of the run, or its submit token, is too long' USING ERRCODE = 'BD005';
  END IF;
  IF g.submits_a_minute IS NOT NULL AND (SELECT r.began FROM bide.run r WHERE r.owner = session_user AND r.queue = g.queue
      AND r.began <= locked_at ORDER BY r.id DESC OFFSET g.submits_a_minute - 1 LIMIT 1) > now_ - 60000000 THEN
    RAISE EXCEPTION 'the role % may submit % runs a minute to the queue %, and has: try again in a minute; an administrator may '
      'allow more by bide store grant --submits-a-minute', session_user, g.submits_a_minute, queue_ USING ERRCODE = 'BD003';
  END IF;
  most := coalesce(g.most_open, bide.setting_of('most_open'));
  open_ := (SELECT coalesce(sum(r.open), 0) FROM bide.run r
    WHERE r.owner = session_user AND r.queue = g.queue AND r.ended IS NULL);
  IF open_ + s.waits > most THEN
    RAISE EXCEPTION 'the role % may have % open waits in the queue %, and would have %: let some end first; an administrator may '
      'allow more by bide store grant --most-open', session_user, most, queue_, open_ + s.waits USING ERRCODE = 'BD003';
  END IF;
  bundles := bide.use_definitions(definitions, now_ + s.longest + bide.setting_of('retain'));
  IF array_position(bundles, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'a wait has no definition' USING ERRCODE = 'BD005';
  END IF;
  opened := least(jobs_, s.waits);
  spread := CASE WHEN opened > 1000 THEN spread ELSE 0 END;
  LOCK TABLE bide.run IN ROW EXCLUSIVE MODE; -- as the INSERT does: the cell gets no other number until this run is there
  cell_ := (SELECT m.cell::bigint << 43 FROM bide.meta m);
  id_ := cell_ + nextval('bide.run_id');
  INSERT INTO bide.run (id, owner, queue, lane, rule, need, jobs, opened, seed, about, history, submit_token, submit_digest,
      waits, open, began, deadline)
    VALUES (id_, session_user, g.queue, lane_, rule_, need_, jobs_, opened, seed_, about_, history_,
      submit_token_, submit_digest_, s.waits, s.waits, now_, now_ + s.longest);
  INSERT INTO bide.wait (id, run, position, branch, definition, deadline, input, token)
    SELECT cell_ + nextval('bide.wait_id'), id_, x.position, x.branch, definitions[x.definition], now_ + x.max_wait, x.input,
      x.token FROM bide.staging x WHERE x.xact = xact_;
  INSERT INTO bide.turn (id, due, deadline, queue, bundle, definition, lane, format, state)
    SELECT w.id, now_ + least(x.delay + (x.position - 1) * spread / opened, x.max_wait), w.deadline, g.queue, bundles[x.definition], w.definition, lane_, 0, ''
      FROM bide.staging x JOIN bide.wait w ON w.run = id_ AND w.position = x.position
      WHERE x.xact = xact_ AND x.position <= opened
      ORDER BY x.position; -- those that are due at the same time are claimed as they were inserted
  DELETE FROM bide.staging x WHERE x.xact = xact_;
  RETURN QUERY SELECT id_, s.waits, true, now_;
END $$;

-- Marks a run as decided. The caller then calls bide.clear until nothing is left.
CREATE FUNCTION bide.cancel(run_ bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  decided_ bigint;
BEGIN
  PERFORM bide.commit_safely();
  SELECT r.decided INTO decided_ FROM bide.run r WHERE r.id = run_ AND r.owner = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  ELSIF decided_ IS NOT NULL THEN
    RETURN 'ended';
  END IF;
  UPDATE bide.run r SET decided = bide.clock(), outcome = 'failure', opened = r.waits WHERE r.id = run_;
  RETURN 'cancelled';
END $$;

-- Deletes a run that has ended, 5,000 waits at a time: the caller calls again while it is told "more".
CREATE FUNCTION bide.prune(run_ bigint) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  ended_ bigint;
BEGIN
  SELECT r.ended INTO ended_ FROM bide.run r WHERE r.id = run_ AND r.owner = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  ELSIF ended_ IS NULL THEN
    RETURN 'open';
  END IF;
  RETURN CASE WHEN bide.forget(run_) THEN 'pruned' ELSE 'more' END;
END $$;

-- ---- what is looked at: each role sees its own runs, and the queues that it has a right on ------------

CREATE VIEW bide.queues WITH (security_barrier) AS
  SELECT q.id, q.name, g.may_submit, g.may_work,
      (SELECT count(*) FROM bide.worker w WHERE q.id = ANY (w.queues) AND w.lease > bide.clock()) AS workers,
      (SELECT coalesce(sum(r.open), 0) FROM bide.run r WHERE r.queue = q.id AND r.ended IS NULL) AS open,
      -- Counts up to 10,000, and those that were set aside.
      (SELECT count(*) FROM (
        (SELECT FROM bide.turn t WHERE t.queue = q.id AND t.lane IN (1, 2, 3) AND t.worker IS NULL
          AND t.due <= (SELECT bide.clock()) LIMIT 10000)
        UNION ALL (SELECT FROM bide.turn t WHERE t.queue = q.id AND t.lane > 4 AND t.next <= (SELECT bide.clock())
          LIMIT 10000)) x) AS due
    FROM bide.queue q JOIN bide.queue_grant g ON g.queue = q.id WHERE g.role = session_user;

CREATE VIEW bide.workers WITH (security_barrier) AS
  SELECT w.id, w.name, w.kind, w.version, w.host, w.pid, w.slots,
      (SELECT count(*) FROM bide.turn t WHERE t.worker = w.id) AS held, w.began, w.lease - bide.clock() AS lease,
      w.formats, ARRAY(SELECT q.name FROM unnest(w.queues) u(id) JOIN bide.queue q ON q.id = u.id) AS queues
    FROM bide.worker w WHERE w.queues && ARRAY(SELECT g.queue FROM bide.queue_grant g WHERE g.role = session_user);

CREATE VIEW bide.runs WITH (security_barrier) AS
  SELECT r.id, q.name AS queue, r.lane, r.need, r.jobs, r.about, r.rule, r.waits, r.open, r.succeeded, r.failed, r.cancelled,
      r.attempts, r.began, r.deadline, r.decided, r.ended, r.outcome, r.submit_token, r.submit_digest, f.waiter, f.recipe,
      (SELECT count(*) FROM bide.worker w WHERE r.queue = ANY (w.queues) AND w.lease > bide.clock()) AS workers
    FROM bide.run r JOIN bide.queue q ON q.id = r.queue
    LEFT JOIN LATERAL (SELECT d.waiter, substring(b.manifest FROM '^bide-recipe 1 main=([^\n]*)') AS recipe
      FROM bide.wait w JOIN bide.definition d ON d.id = w.definition JOIN bide.bundle b ON b.id = d.bundle
      WHERE w.run = r.id AND w.position = 1) f ON true
    WHERE r.owner = session_user;

-- A broken document for which no reader has room is an empty text, so that the others can be read.
CREATE VIEW bide.waits WITH (security_barrier) AS
  SELECT w.id, w.run, w.position, w.branch, d.waiter, d.bundle,
      CASE WHEN octet_length(w.input) > 262144 THEN '' ELSE w.input END AS input,
      CASE WHEN octet_length(w.token) > 1024 THEN '' ELSE w.token END AS token, coalesce(w.attempts, t.attempts, 0) AS attempts,
      CASE WHEN t.lane > 4 OR t.worker IS NOT NULL THEN coalesce(t.next, t.due) ELSE t.due END AS due, w.deadline, t.worker,
      CASE WHEN octet_length(w.output) > 262144 THEN '' ELSE w.output END AS output,
      CASE WHEN octet_length(w.error) > 262144 THEN '' ELSE w.error END AS error,
      CASE WHEN octet_length(w.outcome) > 2097152 THEN '' ELSE w.outcome END AS outcome, w.rank, w.ended, d.body
    FROM bide.run r JOIN bide.wait w ON w.run = r.id JOIN bide.definition d ON d.id = w.definition
    LEFT JOIN bide.turn t ON t.id = w.id WHERE r.owner = session_user;

CREATE VIEW bide.attempts WITH (security_barrier) AS
  SELECT w.run, w.position, a.wait, a.attempt, a.at, a.entry
    FROM bide.run r JOIN bide.wait w ON w.run = r.id JOIN bide.attempt a ON a.wait = w.id WHERE r.owner = session_user;

-- ---- rights ----------------------------------------------------------------------------------------

DO $rights$
DECLARE
  t regclass;
BEGIN
  FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'bide'::regnamespace AND c.relkind IN ('r', 'p')
      AND c.relname <> 'staging' LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
  END LOOP;
END
$rights$;

-- The plans of what runs all the time do not depend on statistics: turns are found by an index, one after another.
ALTER FUNCTION bide.claim SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.remove_strays SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.settle SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.finish SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.beat SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off;
ALTER FUNCTION bide.release SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off;
ALTER FUNCTION bide.reap SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off;
ALTER FUNCTION bide.set_aside SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.take_back SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.expire SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
  SET enable_mergejoin = off;
ALTER FUNCTION bide.lag SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off;
ALTER FUNCTION bide.clear SET jit = off SET enable_seqscan = off;
-- Without statistics, loops would read all rows that were copied for each of them.
ALTER FUNCTION bide.submit SET jit = off SET enable_nestloop = off SET enable_seqscan = off;
ALTER FUNCTION bide.use_definitions SET plan_cache_mode = force_generic_plan SET enable_nestloop = on SET enable_seqscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off;
ALTER FUNCTION bide.follow_up SET jit = off SET enable_seqscan = off;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bide FROM PUBLIC;
GRANT USAGE ON SCHEMA bide TO bide_submit, bide_worker, bide_watch;
GRANT EXECUTE ON FUNCTION bide.about, bide.clock, bide.lag TO bide_submit, bide_worker, bide_watch;
GRANT EXECUTE ON FUNCTION bide.enter, bide.beat, bide.claim, bide.refuse, bide.definition_of, bide.settle, bide.finish,
  bide.sync, bide.leave, bide.strike, bide.reap, bide.set_aside, bide.take_back, bide.expire, bide.clear, bide.maintain,
  bide.reserve, bide.give_back, bide.close_host, bide.closed_hosts, bide.once, bide.once_end TO bide_worker;
GRANT EXECUTE ON FUNCTION bide.begin_submit, bide.put_bundle, bide.put_definition, bide.submit, bide.cancel, bide.clear,
  bide.prune TO bide_submit;
GRANT INSERT (position, definition, branch, delay, max_wait, input, token) ON bide.staging TO bide_submit;
GRANT SELECT ON bide.queues, bide.workers, bide.runs, bide.waits, bide.attempts TO bide_submit, bide_watch;
GRANT SELECT ON bide.queues, bide.workers TO bide_worker;

SELECT bide.partition();
RESET ROLE;
