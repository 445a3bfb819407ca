/* SPDX-License-Identifier: MIT */
/* What FreeRTOS-Plus-TCP takes from its kernel, for one thread that never waits: it is the IP task,
 * which runs when the port calls it (ip.c). A tick is a millisecond. The names are the kernel's. */
#ifndef VMKB_FREERTOS_H
#define VMKB_FREERTOS_H
#include <stddef.h>
#include <stdint.h>
#include "../../heap.h"
#include "lib.h"

#define FREERTOS_CONFIG_H
#define INC_FREERTOS_H
#define INC_TASK_H
#define tskKERNEL_VERSION_MAJOR 11
#define configTICK_RATE_HZ 1000
#define configMINIMAL_STACK_SIZE 1
#define configMAX_PRIORITIES 2
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configSUPPORT_STATIC_ALLOCATION 0
#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configQUEUE_REGISTRY_SIZE 0
#define configLIST_VOLATILE
#define INCLUDE_vTaskDelay 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define portINLINE inline
#define portMAX_DELAY UINT32_MAX
#define portTICK_PERIOD_MS 1

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;
typedef UBaseType_t EventBits_t;
typedef uint64_t StackType_t;
typedef void *TaskHandle_t, *EventGroupHandle_t;
typedef struct queue *QueueHandle_t, *SemaphoreHandle_t;
typedef struct { TickType_t at; } TimeOut_t;

#define pdFALSE 0L
#define pdTRUE  1L
#define pdFAIL  pdFALSE
#define pdPASS  pdTRUE
#define pdFREERTOS_LITTLE_ENDIAN 0
#define pdFREERTOS_BIG_ENDIAN    1
#define pdMS_TO_TICKS(ms) ((TickType_t)(ms))
#define pdTICKS_TO_MS(n)  ((uint32_t)(n))
enum {
    pdFREERTOS_ERRNO_ENOENT = 2, pdFREERTOS_ERRNO_EINTR = 4, pdFREERTOS_ERRNO_EBADF = 9,
    pdFREERTOS_ERRNO_EAGAIN = 11, pdFREERTOS_ERRNO_EWOULDBLOCK = 11, pdFREERTOS_ERRNO_ENOMEM = 12,
    pdFREERTOS_ERRNO_EINVAL = 22, pdFREERTOS_ERRNO_ENOSPC = 28, pdFREERTOS_ERRNO_EOPNOTSUPP = 95,
    pdFREERTOS_ERRNO_ENOBUFS = 105, pdFREERTOS_ERRNO_ENOPROTOOPT = 109,
    pdFREERTOS_ERRNO_EAFNOSUPPORT = 97, pdFREERTOS_ERRNO_EADDRINUSE = 112,
    pdFREERTOS_ERRNO_ETIMEDOUT = 116, pdFREERTOS_ERRNO_EINPROGRESS = 119,
    pdFREERTOS_ERRNO_EADDRNOTAVAIL = 125, pdFREERTOS_ERRNO_EISCONN = 127,
    pdFREERTOS_ERRNO_ENOTCONN = 128, pdFREERTOS_ERRNO_ECANCELED = 140
};

void tcpip_stop(const char *why);
uint32_t tcpip_now(void);
#define configASSERT(true_one) do { if (!(true_one)) tcpip_stop("FREERTOS: " #true_one); } while (0)

/* There are no other tasks. */
#define taskENTER_CRITICAL() ((void)0)
#define taskEXIT_CRITICAL()  ((void)0)
#define vTaskSuspendAll()    ((void)0)
#define xTaskResumeAll()     pdTRUE
#define vTaskDelay(ticks)    ((void)(ticks))
#define portSET_INTERRUPT_MASK_FROM_ISR() 0
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(was) ((void)(was))
#define IP_TASK ((TaskHandle_t)1)
#define xTaskGetCurrentTaskHandle() IP_TASK
#define xTaskCreate(function, name, stack, argument, priority, handle) \
    ((void)(function), *(handle) = IP_TASK, pdPASS)
#define xTaskGetTickCount() tcpip_now()

static inline void vTaskSetTimeOutState(TimeOut_t *t)
{
    t->at = tcpip_now();
}

static inline BaseType_t xTaskCheckForTimeOut(TimeOut_t *t, TickType_t *left)
{
    TickType_t gone = tcpip_now() - t->at;

    *left = gone < *left ? *left - gone : 0;
    t->at += gone;
    return *left ? pdFALSE : pdTRUE;
}

/* Nobody waits for events: they are told by a socket's callback. */
#define xEventGroupCreate() ((EventGroupHandle_t)1)
#define vEventGroupDelete(group) ((void)(group))
#define xEventGroupSetBits(group, bits) ((EventBits_t)(bits))
#define xEventGroupClearBits(group, bits) ((EventBits_t)0)
#define xEventGroupGetBits(group) ((EventBits_t)0)
#define xEventGroupWaitBits(group, bits, clear, all, ticks) ((EventBits_t)0)

#define pvPortMalloc heap_malloc
#define vPortFree    heap_free

/* A queue: the IP task's only one. A semaphore is a queue of nothing, which counts. */
struct queue {
    UBaseType_t length, size, first, count;
    uint8_t items[];
};

static inline QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t size)
{
    struct queue *q = heap_calloc(1, sizeof(*q) + length * size);

    if (q)
        q->length = length, q->size = size;
    return q;
}

static inline BaseType_t xQueueSendToBack(QueueHandle_t q, const void *item, TickType_t ticks)
{
    (void)ticks;
    if (q->count == q->length)
        return pdFAIL;
    UBaseType_t at = q->first + q->count++;
    memcpy(q->items + (at < q->length ? at : at - q->length) * q->size, item, q->size);
    return pdPASS;
}

static inline BaseType_t xQueueReceive(QueueHandle_t q, void *item, TickType_t ticks)
{
    (void)ticks;
    if (!q->count)
        return pdFAIL;
    memcpy(item, q->items + q->first * q->size, q->size);
    q->first = q->first + 1 < q->length ? q->first + 1 : 0;
    q->count--;
    return pdPASS;
}

static inline SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t most, UBaseType_t count)
{
    struct queue *q = xQueueCreate(most, 0);

    if (q)
        q->count = count;
    return q;
}

static inline BaseType_t xSemaphoreTake(SemaphoreHandle_t q, TickType_t ticks)
{
    (void)ticks;
    return q->count ? (q->count--, pdTRUE) : pdFALSE;
}

static inline BaseType_t xSemaphoreGive(SemaphoreHandle_t q)
{
    return q->count < q->length ? (q->count++, pdTRUE) : pdFALSE;
}

#define vQueueDelete heap_free
#define uxQueueMessagesWaiting(q) ((q)->count)
#define uxQueueMessagesWaitingFromISR(q) ((q)->count)
#define uxQueueSpacesAvailable(q) ((q)->length - (q)->count)
#define xQueueSendToBackFromISR(q, item, woken) ((void)(woken), xQueueSendToBack(q, item, 0))
#define xSemaphoreTakeFromISR(q, woken) xSemaphoreTake(q, 0)
#define xSemaphoreGiveFromISR(q, woken) ((void)(woken), xSemaphoreGive(q))

/* Rings of items with an end that is one of them. */
typedef struct xLIST List_t;
typedef struct xLIST_ITEM {
    TickType_t xItemValue;
    struct xLIST_ITEM *pxNext, *pxPrevious;
    void *pvOwner;
    List_t *pxContainer;
} ListItem_t, MiniListItem_t;
struct xLIST {
    UBaseType_t uxNumberOfItems;
    ListItem_t xListEnd;
};

#define listGET_NEXT(item)              ((item)->pxNext)
#define listGET_HEAD_ENTRY(list)        ((list)->xListEnd.pxNext)
#define listGET_END_MARKER(list)        (&(list)->xListEnd)
#define listGET_LIST_ITEM_OWNER(item)   ((item)->pvOwner)
#define listSET_LIST_ITEM_OWNER(item, owner) ((item)->pvOwner = (owner))
#define listGET_LIST_ITEM_VALUE(item)   ((item)->xItemValue)
#define listSET_LIST_ITEM_VALUE(item, value) ((item)->xItemValue = (value))
#define listGET_OWNER_OF_HEAD_ENTRY(list) (listGET_HEAD_ENTRY(list)->pvOwner)
#define listCURRENT_LIST_LENGTH(list)   ((list)->uxNumberOfItems)
#define listLIST_IS_EMPTY(list)         ((list)->uxNumberOfItems == 0)
#define listLIST_IS_INITIALISED(list)   ((list)->xListEnd.pxNext != NULL)
#define listLIST_ITEM_CONTAINER(item)   ((item)->pxContainer)
#define listIS_CONTAINED_WITHIN(list, item) ((item)->pxContainer == (list) ? pdTRUE : pdFALSE)

static inline void vListInitialise(List_t *l)
{
    *l = (List_t){.xListEnd = {portMAX_DELAY, &l->xListEnd, &l->xListEnd, NULL, NULL}};
}

static inline void vListInitialiseItem(ListItem_t *i)
{
    i->pxContainer = NULL;
}

static inline void list_put(List_t *l, ListItem_t *i, ListItem_t *before)
{
    i->pxNext = before;
    i->pxPrevious = before->pxPrevious;
    before->pxPrevious->pxNext = i;
    before->pxPrevious = i;
    i->pxContainer = l;
    l->uxNumberOfItems++;
}

static inline void vListInsertEnd(List_t *l, ListItem_t *i)
{
    list_put(l, i, &l->xListEnd);
}

static inline void vListInsert(List_t *l, ListItem_t *i)
{
    ListItem_t *at = l->xListEnd.pxNext;

    while (at != &l->xListEnd && at->xItemValue <= i->xItemValue)
        at = at->pxNext;
    list_put(l, i, at);
}

static inline UBaseType_t uxListRemove(ListItem_t *i)
{
    List_t *l = i->pxContainer;

    i->pxNext->pxPrevious = i->pxPrevious;
    i->pxPrevious->pxNext = i->pxNext;
    i->pxContainer = NULL;
    return --l->uxNumberOfItems;
}
#endif
