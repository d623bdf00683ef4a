"""Runs the examples of docs/how-to/let-an-engine-keep-the-time.md, which are in the current folder, as their engines do:
engines.py airflow|lambda|activity|temporal. Prints how each of them ended."""

import asyncio
import json
import os
import runpy
import sys
import time


def airflow():
    dag = runpy.run_path("dag.py")["dag"]
    task = dag.get_task("job_done")
    task.render_template_fields({"run_id": "r1"})
    pokes = 1
    while not task.poke({"run_id": "r1"}):
        pokes += 1
        time.sleep(0.1)
    print("done", pokes)


def step_functions():
    """Interprets the states that the machine has."""
    handler, machine = runpy.run_path("handler.py")["handler"], json.load(open("machine.json"))
    value, name, tasks = {"id": "1"}, machine["StartAt"], 0
    while True:
        state = machine["States"][name]
        if state["Type"] == "Task":
            value, tasks = json.loads(json.dumps(handler(value, None))), tasks + 1
        elif state["Type"] == "Wait":
            assert type(value[state["SecondsPath"][2:]]) is int
        elif state["Type"] == "Choice":
            chosen = [c["Next"] for c in state["Choices"] if value[c["Variable"][2:]] == c["NumericEquals"]]
            name = chosen[0] if chosen else state["Default"]
            continue
        else:
            print(name, tasks, value[state["CausePath"][2:]] if "CausePath" in state else "")
            return
        name = state["Next"]


WORDS = sys.argv[2:]


async def activity():
    from temporalio.testing import ActivityEnvironment

    step, result, steps = runpy.run_path("temporal_wait.py")["step"], {"state": ""}, 0
    while steps == 0 or "next" in result:
        result, steps = await ActivityEnvironment().run(step, WORDS, result["state"]), steps + 1
    print(result["outcome"]["state"], steps)


async def temporal():
    from temporalio.testing import WorkflowEnvironment
    from temporalio.worker import Worker

    sys.path.insert(0, os.getcwd())
    import temporal_wait

    async with await WorkflowEnvironment.start_local(dev_server_existing_path=os.environ["BIDE_TEMPORAL"]) as server:
        async with Worker(server.client, task_queue="waits", workflows=[temporal_wait.Wait], activities=[temporal_wait.step]):
            run = server.client.execute_workflow(temporal_wait.Wait.run, WORDS, id="wait", task_queue="waits")
            outcome = await asyncio.wait_for(run, 60)
            print(outcome["state"], outcome["attempts"])


kind = sys.argv[1]
if kind == "airflow":
    airflow()
elif kind == "lambda":
    step_functions()
else:
    asyncio.run({"activity": activity, "temporal": temporal}[kind]())
